import { at, linesAt, own } from '../../mapping/binding';
import { integerCodec } from '../../mapping/codecs/number';
import { decimal, money, nativeId, text } from './codecs';

/** The lines of a commitment and of its change orders, which have one form. */
export const lineItems = linesAt('line_items', {
  members: {
    id: own('id', nativeId),
    position: at('position', integerCodec),
    description: at('description', text),
    quantity: at('quantity', decimal),
    unit_price: at('unit_cost', decimal),
    uom: at('uom', text),
    amount: at('amount', money),
    budget_code: at('wbs_code.flat_code', text),
  },
});
