import { budgetLineItem as fields } from '../../canonical/types';
import type { JsonObject, JsonValue } from '../../json/json-value';
import { absent, at, own, reference } from '../../mapping/binding';
import { Mapping } from '../../mapping/mapping';
import type { ConditionalFigure } from '../../mapping/resource';
import { exponentOf } from '../../money/currencies';
import { minus, times, ZERO } from '../../money/decimal-arithmetic';
import { parseDecimalText, shortestDecimal, type Decimal } from '../../money/decimal-text';
import { isMoney, moneyDecimal, type Money } from '../../money/money';
import { code, currency, date, decimal, keyIn, money, text, timestamp, enumeration } from './codecs';
import { everyResource } from './every-resource';
import { jobPlanningLines } from './resources/budget-line-item';

/** A job planning line, from a custom page: a blank currency is not translated there and means the local one. */
export const budgetLineItem = Mapping.define<typeof fields>(
  'budget_line_item',
  jobPlanningLines,
  {
    project_id: reference(keyIn('jobNo', code(20))),
    cost_code: at('jobTaskNo', code(20)),
    name: at('description', text(100)),
    budgeted_amount: at('totalCost', money),
    quantity: at('quantity', decimal),
    unit_cost: at('unitCost', decimal),
    uom: at('unitOfMeasureCode', code(10)),
    calculation: absent,
    currency: at('currencyCode', currency),
    planned_on: at('planningDate', date),
    kind: at(
      'lineType',
      enumeration({
        budget: 'Budget',
        billable: 'Billable',
        both: 'Both_x0020_Budget_x0020_and_x0020_Billable',
      }),
    ),
    account_type: at(
      'type',
      enumeration({ resource: 'Resource', item: 'Item', account: 'G_x002F_L_x0020_Account', text: 'Text' }),
    ),
    account: at('number', code(20)),
    unit_price: at('unitPrice', decimal),
    total_price: at('totalPrice', money),
    created_at: absent,
    updated_at: own('lastModifiedDateTime', timestamp),
  },
  {
    ...everyResource,
    currency: 'currencyCode',
    computed: { quantity: priced('totalPrice', 'lineAmount'), currency: ['lineAmount'] },
    toWrite: manualAmount,
  },
);

// What is sold follows from the quantity and its price. Without a price it is zero, whatever the quantity.
function priced(...paths: readonly string[]): readonly ConditionalFigure[] {
  return paths.map((path) => ({ path, unless: ({ unitPrice }) => unitPrice === 0 }));
}

// The platform computes the cost as quantity times cost of one. A line whose amount was entered by hand has that amount as
// the cost of one, unless its own figures lead to it.
function manualAmount(data: JsonObject): JsonObject {
  const { calculation, budgeted_amount: amount, quantity, unit_cost: cost } = data;
  if (calculation !== 'manual' || !isMoney(amount)) return data;
  if (isWithinHalf(times(decimalIn(quantity), decimalIn(cost)), amount)) return data;
  return { ...data, quantity: '1', unit_cost: shortestDecimal(moneyDecimal(amount)) };
}

function decimalIn(value: JsonValue | undefined): Decimal {
  return (typeof value === 'string' ? parseDecimalText(value) : undefined) ?? ZERO;
}

// Whether a number becomes an amount when it is rounded to the minor unit.
function isWithinHalf(number: Decimal, amount: Money): boolean {
  const { units, scale } = minus(number, moneyDecimal(amount));
  const minorUnit = 10n ** BigInt(scale - exponentOf(amount.currency));
  return 2n * (units < 0n ? -units : units) <= minorUnit;
}
