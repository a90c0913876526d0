import type { ValueSchema } from '../../canonical/schema';
import { changeOrder as fields } from '../../canonical/types';
import {
  absent,
  at,
  across,
  folded,
  linesAt,
  own,
  reference,
  type ReferenceSource,
} from '../../mapping/binding';
import { Unfit } from '../../mapping/codec';
import { Mapping } from '../../mapping/mapping';
import { code, currency, date, idIn, keyIn, money, timestamp, enumeration } from './codecs';
import { documentLine } from './document';
import { everyResource } from './every-resource';
import { salesQuotes } from './resources/change-order';

const LONGEST = 35;
const combined = code(LONGEST);
const combinedSchema: ValueSchema = {
  type: 'string',
  noun: 'contract number, slash and number',
  maxLength: LONGEST,
  description: 'Contract number, slash and number.',
};
const SEPARATOR = '/';

/** The contract's number, in front of the last slash of the combined number. */
const contractPrefix: ReferenceSource = {
  path: ['externalDocumentNumber'],
  by: 'key',
  composed: true,
  schema: { type: 'string', noun: 'the contract number in front of the last slash' },
  decode: (wire) =>
    typeof wire === 'string' && wire.includes(SEPARATOR) ? wire.slice(0, wire.lastIndexOf(SEPARATOR)) : null,
  encode: (value) => value,
};

function sameCode(left: string, right: string): boolean {
  return left.trim().toUpperCase() === right.trim().toUpperCase();
}

/**
 * A sales quote. The platform has no change order, and a quote is the only writable document with lines and its own
 * status that does not change the contract's total. Its external document number holds the contract number, a slash,
 * and its own number.
 */
export const changeOrder = Mapping.define<typeof fields>(
  'change_order',
  salesQuotes,
  {
    number: across<string>([['externalDocumentNumber', combinedSchema]], {
      decode: ([wire], context) => {
        if (wire === undefined) return undefined;
        const text = combined.decode(wire, context);
        if (text === null) return null;
        const end = text.lastIndexOf(SEPARATOR);
        const contract = context.keys?.contract_id;
        // Where the contract is known, a spelling with another one does not mean this number.
        if (contract !== undefined && !sameCode(text.slice(0, Math.max(end, 0)), contract)) return undefined;
        return text.slice(end + 1) || null;
      },
      encode: (value, context) => {
        if (value?.includes(SEPARATOR)) {
          throw new Unfit(
            'holds a slash, which platform_b keeps between the contract number and the change order number',
          );
        }
        const contract = context.keys?.contract_id;
        return [
          combined.encode(contract === undefined ? value : `${contract}${SEPARATOR}${value ?? ''}`, context),
        ];
      },
    }),
    revision: absent,
    title: absent,
    description: absent,
    status: folded(
      'status',
      enumeration({
        draft: 'Draft',
        pricing: 'Draft',
        not_pricing: 'Draft',
        pending: 'Sent',
        revised: 'Sent',
        proceeding: 'Sent',
        pending_billable: 'Sent',
        approved: 'Accepted',
        no_charge: 'Accepted',
        expired: 'Expired_x0020_',
        rejected: 'Expired_x0020_',
        not_proceeding: 'Expired_x0020_',
        void: 'Expired_x0020_',
      }),
    ),
    contract_id: reference(contractPrefix),
    project_id: reference(keyIn('shortcutDimension1Code', code(20))),
    customer_id: reference(idIn('customerId')),
    amount: at('totalAmountExcludingTax', money),
    document_date: at('documentDate', date),
    due_date: at('dueDate', date),
    valid_until: at('validUntilDate', date),
    sent_at: at('sentDate', timestamp),
    approved_on: at('acceptedDate', date),
    reviewed_at: absent,
    schedule_impact_days: absent,
    invoiced_on: absent,
    paid_on: absent,
    signed_received_on: absent,
    executed: absent,
    paid: absent,
    private: absent,
    reference: absent,
    tax_amount: at('totalTaxAmount', money),
    total_with_tax: at('totalAmountIncludingTax', money),
    discount_amount: at('discountAmount', money),
    currency: at('currencyCode', currency),
    lines: linesAt('salesQuoteLines', documentLine),
    created_at: absent,
    updated_at: own('lastModifiedDateTime', timestamp),
  },
  {
    ...everyResource,
    currency: 'currencyCode',
    shownOf: { customer_id: ['customerNumber', 'customerName'] },
    computed: { amount: ['totalTaxAmount', 'totalAmountIncludingTax', 'salesQuoteLines'] },
  },
);
