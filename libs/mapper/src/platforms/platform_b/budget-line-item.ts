import { budgetLineItem as fields } from '../../canonical/types';
import { absent, at, own, reference } from '../../mapping/binding';
import { Mapping } from '../../mapping/mapping';
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
  },
);
