import type { Platform } from '../platform';
import { budgetLineItem } from './budget-line-item';
import { changeOrder } from './change-order';
import { purchaseOrder, workOrder } from './contract';
import { customer } from './customer';
import { employee } from './employee';
import { invoice } from './invoice';
import { ownFields } from './own-fields';
import { payment } from './payment';
import { project } from './project';
import { timeEntry } from './time-entry';

/** The project platform, in the shapes of the Procore REST API. */
export const platformA: Platform = {
  blank: 'null',
  ownFields,
  mappings: {
    project,
    customer,
    contract: {
      variants: { WorkOrderContract: workOrder, PurchaseOrderContract: purchaseOrder },
      chosenBy: {
        field: 'kind',
        values: { work_order: 'WorkOrderContract', purchase_order: 'PurchaseOrderContract' },
      },
      meaning:
        'Which of platform_a’s two kinds of contract the record is. Required when `source` is platform_a and `entity_type` is contract.',
      standard: 'WorkOrderContract',
    },
    invoice,
    payment,
    employee,
    time_entry: timeEntry,
    change_order: changeOrder,
    budget_line_item: budgetLineItem,
  },
};
