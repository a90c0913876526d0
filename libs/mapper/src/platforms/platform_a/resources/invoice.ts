import { echoed, fields, never, notEchoed, placed, throughLines } from '../../../resource/native-field';
import { NativeResource } from '../../../resource/native-resource';
import { COMPUTED, contractScope, FIXED_CURRENCY, ownCurrency, ownId, projectScope, stamps } from './common';

const OF_CONTRACT = 'is shown of the contract';
const dueDate = { kind: 'own_call' } as const;

/** Requisitions. The due date is written by a separate call, and it is not confirmed that records show it. */
export const requisitions = new NativeResource({
  name: 'requisitions',
  path: '/rest/v1.1/requisitions',
  wrapper: 'requisition',
  lines: 'items',
  computedInLines: [
    'work_completed_from_previous_application',
    'work_completed_retainage_from_previous_application',
    'total_completed_and_stored_to_date',
    'total_completed_and_stored_to_date_percent',
    'created_at',
    'updated_at',
  ],
  requiredToCreate: ['project_id', 'commitment_id'],
  lockWords: 'The invoice is not editable because it has been synced with ERP',
  fields: [
    ownId,
    projectScope('project_id'),
    contractScope('commitment_id'),
    fields('text', 'invoice_number'),
    fields('word', 'status'),
    fields('id', 'period_id'),
    fields('date', 'requisition_start', 'requisition_end', 'billing_date', 'payment_date', 'submitted_at'),
    echoed('sometimes', placed('date', 'due_date', { creating: dueDate, changing: dueDate })),
    fields('boolean', 'final'),
    throughLines('summary.current_payment_due'),
    fields('foreign_id', 'origin_id'),
    fields('text', 'origin_data'),
    notEchoed(fields('list', 'upload_ids', 'prostore_file_ids')),
    echoed(
      'multi_currency',
      placed('code', ownCurrency, { creating: { kind: 'parent' }, why: "is the contract's" }),
    ),
    never('counts the requisitions of the contract', fields('integer', 'number')),
    never('follows from the items', fields('word', 'invoice_type')),
    never('is the requisition before it', fields('id', 'previous_requisition_id')),
    never(
      OF_CONTRACT,
      fields('word', 'commitment_type'),
      fields('text', 'contract_name'),
      fields('word', 'contract_invoicing_method'),
      fields('id', 'vendor_id'),
      fields('text', 'vendor_name'),
    ),
    never(
      COMPUTED,
      fields('object', 'summary', 'payment_summary'),
      fields('decimal', 'summary.tax_applicable_to_this_payment', 'summary.total_retainage'),
      fields('decimal', 'summary.completed_work_retainage_percent', 'total_claimed_amount'),
      fields('decimal', 'summary.total_earned_less_retainage'),
      fields('decimal', 'summary.balance_to_finish_including_retainage'),
      fields('decimal', 'percent_complete'),
      fields('list', 'tax_summary'),
    ),
    never('is said by the accounting integration', fields('word', 'erp_status')),
    never('follows from the state of the requisition', fields('boolean', 'deletable')),
    never('is the user who created it', fields('object', 'created_by')),
    never(FIXED_CURRENCY, fields('object', 'currency_configuration')),
    stamps,
  ],
});
