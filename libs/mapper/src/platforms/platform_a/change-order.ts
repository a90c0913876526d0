import { changeOrder as fields } from '../../canonical/types';
import type { JsonValue } from '../../json/json-value';
import { absent, at, folded, own, reference } from '../../mapping/binding';
import { booleanCodec, integerCodec } from '../../mapping/codecs/number';
import { enumerationCodec } from '../../mapping/codecs/enumeration';
import { Mapping } from '../../mapping/mapping';
import { currency, date, idIn, money, text, timestamp } from './codecs';
import { lineItems } from './line-items';
import { recordId } from './record-id';
import { ownCurrency } from './resources/common';
import { commitmentChangeOrders } from './resources/change-order';

/** A commitment change order. Only the path of the request names its project. */
export const changeOrder = Mapping.define<typeof fields>(
  'change_order',
  commitmentChangeOrders,
  {
    number: at('number', text),
    revision: at('revision', integerCodec),
    title: at('title', text),
    description: at('description', text),
    status: folded(
      'status',
      enumerationCodec({
        draft: 'draft',
        pricing: 'pricing',
        not_pricing: 'not_pricing',
        pending: 'pending',
        revised: 'revised',
        proceeding: 'proceeding',
        pending_billable: 'pending_billable',
        approved: 'approved',
        no_charge: 'no_charge',
        rejected: 'rejected',
        not_proceeding: 'not_proceeding',
        void: 'void',
        expired: 'not_proceeding',
      }),
    ),
    contract_id: reference(idIn('contract_id')),
    project_id: reference(idIn('project_id')),
    customer_id: absent,
    amount: at('grand_total', money),
    document_date: absent,
    due_date: at('due_date', date),
    valid_until: absent,
    sent_at: absent,
    approved_on: absent,
    reviewed_at: at('reviewed_at', timestamp),
    schedule_impact_days: at('schedule_impact_amount', integerCodec),
    invoiced_on: at('invoiced_date', date),
    paid_on: at('paid_date', date),
    signed_received_on: at('signed_change_order_received_date', date),
    executed: at('executed', booleanCodec),
    paid: at('paid', booleanCodec),
    private: at('private', booleanCodec),
    reference: at('reference', text),
    tax_amount: absent,
    total_with_tax: absent,
    discount_amount: absent,
    currency: at(ownCurrency, currency),
    lines: lineItems,
    created_at: own('created_at', timestamp),
    updated_at: own('updated_at', timestamp),
  },
  {
    id: recordId,
    currency: ownCurrency,
    computed: { amount: ['line_items'] },
    // The platform dates a change order by its creation, and its approval by its review.
    derived: {
      document_date: { from: ['created_at'], value: ({ created_at: time }) => dayOf(time) },
      approved_on: {
        from: ['reviewed_at'],
        value: ({ reviewed_at: time, status }) => (status === 'approved' ? dayOf(time) : undefined),
      },
    },
  },
);

function dayOf(time: JsonValue | undefined): string | undefined {
  return typeof time === 'string' ? time.slice(0, 10) : undefined;
}
