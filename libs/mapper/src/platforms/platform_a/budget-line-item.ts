import { budgetLineItem as fields } from '../../canonical/types';
import { absent, at, reference } from '../../mapping/binding';
import { enumerationCodec } from '../../mapping/codecs/enumeration';
import { Mapping } from '../../mapping/mapping';
import { currency, decimalNumber, idIn, moneyNumber, text } from './codecs';
import { recordId } from './record-id';
import { ownCurrency } from './resources/common';
import { budgetLineItems } from './resources/budget-line-item';

/** A budget line. Its amounts are JSON numbers, and text in the rows of a budget view. */
export const budgetLineItem = Mapping.define<typeof fields>(
  'budget_line_item',
  budgetLineItems,
  {
    project_id: reference(idIn('project_id')),
    cost_code: at('wbs_code.flat_code', text),
    name: at('wbs_code.description', text),
    budgeted_amount: at('original_budget_amount', moneyNumber),
    quantity: at('quantity', decimalNumber),
    unit_cost: at('unit_cost', decimalNumber),
    uom: at('uom', text),
    calculation: at('calculation_strategy', enumerationCodec({ automatic: 'automatic', manual: 'manual' })),
    currency: at(ownCurrency, currency),
    planned_on: absent,
    kind: absent,
    account_type: absent,
    account: absent,
    unit_price: absent,
    total_price: absent,
    created_at: absent,
    updated_at: absent,
  },
  {
    id: recordId,
    currency: ownCurrency,
    // Another platform may show an amount entered by hand as one unit at that cost.
    together: [['quantity', 'unit_cost']],
    // All lines here are budget. What is only billed is no cost, and would make the budget larger.
    refused: { kind: { billable: 'is billable alone, and platform_a has budgets alone' } },
  },
);
