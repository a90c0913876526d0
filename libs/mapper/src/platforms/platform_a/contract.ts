import { contract as fields } from '../../canonical/types';
import { absent, always, at, folded, own, reference } from '../../mapping/binding';
import { booleanCodec } from '../../mapping/codecs/number';
import { enumerationCodec } from '../../mapping/codecs/enumeration';
import { Mapping } from '../../mapping/mapping';
import type { MappingTable } from '../../mapping/resource';
import type { NativeResource } from '../../resource/native-resource';
import { currency, date, idIn, money, percent, text, timestamp } from './codecs';
import { lineItems } from './line-items';
import { recordId } from './record-id';
import { purchaseOrderContracts, workOrderContracts } from './resources/contract';
import { ownCurrency } from './resources/common';

type ContractTable = MappingTable<typeof fields>;
type Kind = 'work_order' | 'purchase_order';

/** A subcontract (`work_order_contracts`). */
export const workOrder = commitment(
  workOrderContracts,
  'work_order',
  folded(
    'status',
    enumerationCodec({
      draft: 'Draft',
      out_for_bid: 'Out For Bid',
      pending_approval: 'Out For Signature',
      processing: 'Out For Signature',
      approved: 'Approved',
      in_progress: 'Approved',
      completed: 'Complete',
      closed: 'Complete',
      terminated: 'Terminated',
      void: 'Void',
    }),
  ),
);

/** A purchase order (`purchase_order_contracts`): the same shape, other words for its status. */
export const purchaseOrder = commitment(
  purchaseOrderContracts,
  'purchase_order',
  folded(
    'status',
    enumerationCodec({
      draft: 'Draft',
      out_for_bid: 'Draft',
      processing: 'Processing',
      pending_approval: 'Submitted',
      in_progress: 'Partially Received',
      completed: 'Received',
      approved: 'Approved',
      closed: 'Closed',
      terminated: 'Closed',
      void: 'Closed',
    }),
  ),
);

function commitment(resource: NativeResource, kind: Kind, status: ContractTable['status']): Mapping {
  return Mapping.define<typeof fields>(
    'contract',
    resource,
    {
      kind: always<Kind | 'unknown'>(kind),
      number: at('number', text),
      title: at('title', text),
      description: at('description', text),
      status,
      project_id: reference(idIn('project.id')),
      customer_id: reference(idIn('vendor.id')),
      contract_date: at('contract_date', date),
      start_date: at('contract_start_date', date),
      completion_date: at('contract_estimated_completion_date', date),
      actual_completion_date: at('actual_completion_date', date),
      executed_on: at('execution_date', date),
      issued_on: at('issued_on_date', date),
      signed_received_on: at('signed_contract_received_date', date),
      returned_on: at('returned_date', date),
      letter_of_intent_on: at('letter_of_intent_date', date),
      approval_letter_on: at('approval_letter_date', date),
      executed: at('executed', booleanCodec),
      private: at('private', booleanCodec),
      amount: at('grand_total', money),
      approved_changes: at('approved_change_orders', money),
      pending_changes: at('pending_change_orders', money),
      draft_changes: at('draft_change_orders_amount', money),
      revised_amount: at('revised_contract', money),
      tax_amount: absent,
      total_with_tax: absent,
      invoiced_amount: at('total_requisitions_amount', money),
      paid_amount: at('total_payments', money),
      balance: at('remaining_balance_outstanding', money),
      percent_paid: at('percentage_paid', percent),
      retainage_percent: at('retainage_percent', percent),
      discount_amount: absent,
      currency: at(ownCurrency, currency),
      lines: lineItems,
      created_at: own('created_at', timestamp),
      updated_at: own('updated_at', timestamp),
    },
    {
      id: recordId,
      currency: ownCurrency,
      shownOf: {
        project_id: ['project'],
        customer_id: ['vendor.company', 'vendor.origin_id', 'vendor.origin_data'],
      },
      computed: {
        amount: [
          'revised_contract',
          'pending_revised_contract',
          'remaining_balance_outstanding',
          'percentage_paid',
          'line_items',
        ],
        currency: ['pending_revised_contract', 'total_draw_requests_amount'],
      },
    },
  );
}
