import { budgetLineItem as fields } from '../../canonical/types';
import { absent, at, reference } from '../../mapping/binding';
import { wordsCodec } from '../../mapping/codecs/words';
import { Mapping } from '../../mapping/mapping';
import { currency, decimalNumber, idIn, moneyNumber, text } from './codecs';
import { ownCurrency, recordId } from './resource';

/** A budget line. Its amounts are JSON numbers, and text in the rows of a budget view. */
export const budgetLineItem = Mapping.define<typeof fields>(
  'budget_line_item',
  'budget_line_items',
  {
    project_id: reference(idIn('project_id', 'create')),
    cost_code: at('wbs_code.flat_code', text, 'create'),
    name: at('wbs_code.description', text, 'read'),
    budgeted_amount: at('original_budget_amount', moneyNumber),
    quantity: at('quantity', decimalNumber),
    unit_cost: at('unit_cost', decimalNumber),
    uom: at('uom', text),
    calculation: at('calculation_strategy', wordsCodec({ automatic: 'automatic', manual: 'manual' })),
    currency: at(ownCurrency, currency, 'read'),
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
    fixed: ['currency_configuration'],
    requiredToCreate: ['project_id', 'cost_code'],
  },
);
