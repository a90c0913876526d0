import { payment as fields } from '../../canonical/types';
import { absent, at, own, reference } from '../../mapping/binding';
import { enumerationCodec } from '../../mapping/codecs/enumeration';
import { Mapping } from '../../mapping/mapping';
import { date, idIn, money, text, timestamp, namedIn } from './codecs';
import { recordId } from './record-id';
import { contractPayments } from './resources/payment';

/** A contract payment. It names no currency: the contract's is meant. */
export const payment = Mapping.define<typeof fields>(
  'payment',
  contractPayments,
  {
    amount: at('amount', money),
    // An open set of words, shown in the interface as Title Case; compared without regard to case.
    status: at(
      'status',
      enumerationCodec(
        {
          pending: 'pending',
          unpaid: 'unpaid',
          in_review: 'in_review',
          approved: 'approved',
          processing: 'processing',
          paid: 'paid',
          rejected: 'rejected',
          failed: 'failed',
        },
        { fold: (literal) => literal.trim().toLowerCase() },
      ),
    ),
    date: at('date', date),
    check_number: at('check_number', text),
    invoice_number: at('invoice_number', text),
    invoice_id: reference(idIn('requisition_id'), namedIn('invoice_number')),
    contract_id: reference(idIn('contract_id')),
    project_id: reference(idIn('project_id')),
    customer_id: absent,
    notes: at('notes', text),
    description: absent,
    created_at: own('created_at', timestamp),
    updated_at: own('updated_at', timestamp),
  },
  {
    id: recordId,
  },
);
