import { echoed, fields, never, notEchoed, placed, throughLines } from '../../../resource/native-field';
import { NativeResource } from '../../../resource/native-resource';
import {
  COMPUTED,
  computedInLines,
  FIXED_CURRENCY,
  origin,
  ownCurrency,
  ownId,
  projectScope,
  stamps,
} from './common';

const vendor = { kind: 'project_vendor', name: 'vendor_id' } as const;

/** The fields of both kinds of contract. Some are for purchase orders only: a work order does not show them. */
const contractFields = [
  ownId,
  fields('text', 'number', 'title', 'description', 'inclusions', 'exclusions'),
  fields('word', 'status', 'accounting_method'),
  projectScope('project.id'),
  placed('id', 'vendor.id', { creating: vendor, changing: vendor }),
  fields('date', 'contract_date', 'contract_start_date', 'contract_estimated_completion_date'),
  fields('date', 'actual_completion_date', 'execution_date', 'issued_on_date', 'letter_of_intent_date'),
  fields('date', 'approval_letter_date', 'returned_date', 'signed_contract_received_date'),
  fields('boolean', 'executed', 'private', 'show_line_items_to_non_admins'),
  fields('decimal', 'retainage_percent'),
  throughLines('grand_total'),
  notEchoed(fields('list', 'invoice_contact_user_ids', 'upload_ids')),
  origin,
  fields('id', 'assignee_id'),
  fields('text', 'bill_to_address', 'ship_to_address', 'ship_via', 'payment_terms'),
  fields('date', 'delivery_date'),
  echoed(
    'multi_currency',
    placed('code', ownCurrency, {
      creating: { kind: 'member', name: 'currency_iso_code' },
      why: FIXED_CURRENCY,
    }),
  ),
  never('is shown of the project that the contract stands in', fields('object', 'project')),
  never(
    'is shown of the vendor that vendor_id names',
    fields('text', 'vendor.company'),
    fields('foreign_id', 'vendor.origin_id'),
    fields('text', 'vendor.origin_data'),
  ),
  never(
    COMPUTED,
    fields('decimal', 'approved_change_orders', 'pending_change_orders', 'draft_change_orders_amount'),
    fields('decimal', 'revised_contract', 'pending_revised_contract', 'total_requisitions_amount'),
    fields('decimal', 'total_draw_requests_amount', 'total_payments', 'remaining_balance_outstanding'),
    fields('decimal', 'percentage_paid'),
  ),
  never(FIXED_CURRENCY, fields('object', 'currency_configuration')),
  never('is the user who created it', fields('id', 'created_by_id')),
  stamps,
  never('is set when a user deletes the record', fields('time', 'deleted_at')),
];

/** Subcontracts. */
export const workOrderContracts = commitments('work_order_contract');

/** Purchase orders: the same shape under another name. */
export const purchaseOrderContracts = commitments('purchase_order_contract');

function commitments(wrapper: string): NativeResource {
  const name = `${wrapper}s`;
  return new NativeResource({
    name,
    path: `/rest/v1.0/${name}`,
    wrapper,
    fields: contractFields,
    lines: 'line_items',
    computedInLines,
    requiredToCreate: ['project.id'],
  });
}
