import { fields, freeWhen, never, notEchoed } from '../../../resource/native-field';
import { NativeResource } from '../../../resource/native-resource';
import { contractScope, ownId, projectScope, stamps } from './common';

const PAYING = 'is set by the platform when it executes the payment';

/** Payments of a contract. An accounting system that has put its ID on one may still change what belongs to it. */
export const contractPayments = new NativeResource({
  name: 'contract_payments',
  path: '/rest/v1.0/contract_payments',
  wrapper: 'contract_payment',
  requiredToCreate: ['project_id', 'contract_id', 'amount'],
  lockWords: 'The Contract Payment cannot be edited or deleted because it is synced with an ERP system',
  fields: [
    ownId,
    projectScope('project_id'),
    contractScope('contract_id'),
    fields('decimal', 'amount'),
    fields('date', 'date'),
    fields('text', 'invoice_number', 'check_number', 'notes'),
    fields('integer', 'draw_request_number', 'payment_number'),
    fields('id', 'requisition_id'),
    notEchoed(
      fields('word', 'payment_method'),
      fields('date', 'invoice_date'),
      fields('list', 'prostore_file_ids'),
    ),
    freeWhen('synced', fields('foreign_id', 'origin_id'), fields('text', 'origin_data')),
    never(PAYING, fields('word', 'status'), fields('time', 'date_payment_initiated', 'date_payment_settled')),
    never(PAYING, fields('foreign_id', 'external_payment_id')),
    freeWhen('synced', never('is kept by the accounting integration', fields('text', 'origin_code'))),
    stamps,
  ],
});
