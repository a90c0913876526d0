import { payment as fields } from '../../canonical/types';
import { absent, across, always, at, own, reference } from '../../mapping/binding';
import { naming } from '../../mapping/codec';
import { currencyMeant, moneyCodec } from '../../mapping/codecs/money';
import { Mapping } from '../../mapping/mapping';
import type { Money } from '../../money/money';
import { code, currency, date, idIn, text, timestamp } from './codecs';
import { everyResource } from './every-resource';
import { customerPayments } from './resources/payment';

// A receipt on a customer account is posted with a negative sign; a positive one is a refund.
const receipt = moneyCodec({ form: 'number', negated: true });

type Status =
  | 'pending'
  | 'unpaid'
  | 'in_review'
  | 'approved'
  | 'processing'
  | 'paid'
  | 'rejected'
  | 'failed'
  | 'unknown';

/**
 * An unposted line of a customer payment journal. It has no status: what the journal holds is pending. The currency is an
 * extension of the standard page; blank means the company's local currency. A line of the standard page has no such field and
 * inherits its currency.
 */
export const payment = Mapping.define<typeof fields>(
  'payment',
  customerPayments,
  {
    amount: across<Money>(
      [
        ['amount', receipt.schema],
        ['currencyCode', currency.schema],
      ],
      {
        decode: ([amount, code], context) => {
          if (amount === undefined) return undefined;
          // The problem is the code, which names no currency, and not the amount.
          if (code !== undefined) naming('currencyCode', () => currency.decode(code, context));
          return receipt.decode(amount, { ...context, currency: currencyMeant(code, context) });
        },
        encode: (value, context) => [
          receipt.encode(value, context),
          value === null ? undefined : currency.encode(value.currency, context),
        ],
      },
    ),
    status: always<Status>('pending'),
    date: at('postingDate', date),
    check_number: at('externalDocumentNumber', code(35)),
    invoice_number: absent,
    invoice_id: reference(idIn('appliesToInvoiceId')),
    contract_id: absent,
    project_id: absent,
    customer_id: reference(idIn('customerId')),
    notes: at('comment', text(250)),
    description: at('description', text(100)),
    created_at: absent,
    updated_at: own('lastModifiedDateTime', timestamp),
  },
  {
    ...everyResource,
    currency: 'currencyCode',
    absentCurrency: 'inherited',
    shownOf: { invoice_id: ['appliesToInvoiceNumber'], customer_id: ['customerNumber'] },
  },
);
