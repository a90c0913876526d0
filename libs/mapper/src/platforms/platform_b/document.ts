import type { JsonObject } from '../../json/json-value';
import { at, own, type LineForm, type LineTable } from '../../mapping/binding';
import { Unfit } from '../../mapping/codec';
import { integerCodec } from '../../mapping/codecs/number';
import { shortestDecimal } from '../../money/decimal-text';
import { isMoney, moneyDecimal } from '../../money/money';
import { code, decimal, guid, money, text } from './codecs';

const members: LineTable = {
  id: own('id', guid),
  position: at('sequence', {
    schema: { type: 'integer', noun: 'a line number', multipleOf: 10_000 },
    decode: (wire, context) => {
      const sequence = integerCodec.decode(wire, context);
      return sequence !== null && sequence % 10_000 === 0 ? sequence / 10_000 : sequence;
    },
    encode: (position) => {
      const sequence = (position ?? 0) * 10_000;
      if (!Number.isSafeInteger(sequence))
        throw new Unfit(`${position} is beyond the line numbers of platform_b`);
      return sequence;
    },
  }),
  description: at('description', text(100)),
  quantity: at('quantity', decimal),
  unit_price: at('unitPrice', decimal),
  uom: at('unitOfMeasureCode', code(10)),
  amount: at('netAmount', money),
  budget_code: at('lineObjectNumber', code(20)),
};

/** Lines of sales orders, sales invoices and sales quotes. Positions count in steps of ten thousand. */
export const documentLine: LineForm = { members, toWrite: lumpSum };

// The platform computes the amount as quantity times price, so a line without a quantity has its amount as the price of
// one.
function lumpSum(line: JsonObject): JsonObject {
  const { amount, quantity } = line;
  if (!isMoney(amount) || amount.amount === 0 || (quantity ?? '0') !== '0') return line;
  return { ...line, quantity: '1', unit_price: shortestDecimal(moneyDecimal(amount)) };
}
