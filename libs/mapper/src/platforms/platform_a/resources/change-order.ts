import { fields, never, onlyWhenCreating, throughLines } from '../../../resource/native-field';
import { NativeResource } from '../../../resource/native-resource';
import { computedInLines, contractScope, FIXED_CURRENCY, ownCurrency, ownId, stamps } from './common';

/** Change orders of commitments. Only the path of the request names the project. */
export const commitmentChangeOrders = new NativeResource({
  name: 'commitment_change_orders',
  lines: 'line_items',
  computedInLines,
  requiredToCreate: ['contract_id'],
  fields: [
    ownId,
    fields('text', 'number', 'title', 'description', 'reference'),
    fields('integer', 'revision', 'schedule_impact_amount'),
    fields('word', 'status'),
    contractScope('contract_id'),
    onlyWhenCreating(
      'is what the record is created under; records are never moved',
      fields('id', 'project_id'),
    ),
    throughLines('grand_total'),
    fields('date', 'due_date', 'invoiced_date', 'paid_date', 'signed_change_order_received_date'),
    fields('boolean', 'executed', 'paid', 'private'),
    never(FIXED_CURRENCY, fields('code', ownCurrency)),
    never('follows from the dates of the contract', fields('date', 'revised_substantial_completion_date')),
    never('is the user who created it', fields('object', 'created_by')),
    never('is set with the review', fields('object', 'reviewed_by'), fields('time', 'reviewed_at')),
    stamps,
  ],
});
