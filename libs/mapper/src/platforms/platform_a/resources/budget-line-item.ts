import { fields, never, onlyWhenCreating } from '../../../resource/native-field';
import { NativeResource } from '../../../resource/native-resource';
import { FIXED_CURRENCY, ownCurrency, ownId, projectScope } from './common';

/** Lines of a budget. */
export const budgetLineItems = new NativeResource({
  name: 'budget_line_items',
  requiredToCreate: ['project_id', 'wbs_code.flat_code'],
  fields: [
    ownId,
    projectScope('project_id'),
    onlyWhenCreating('is fixed when the line is created', fields('code', 'wbs_code.flat_code')),
    never('is shown of the code', fields('text', 'wbs_code.description')),
    fields('decimal', 'original_budget_amount', 'quantity', 'unit_cost'),
    fields('text', 'uom'),
    fields('word', 'calculation_strategy'),
    never(FIXED_CURRENCY, fields('code', ownCurrency), fields('object', 'currency_configuration')),
  ],
});
