import type { Platform } from '../platform';
import { budgetLineItem } from './budget-line-item';
import { changeOrder } from './change-order';
import { spelledGuid } from './codecs';
import { contract } from './contract';
import { customer } from './customer';
import { employee } from './employee';
import { invoice } from './invoice';
import { ownFields } from './own-fields';
import { payment } from './payment';
import { project } from './project';
import { timeEntry } from './time-entry';

/** The ERP, in the shapes of the Dynamics 365 Business Central API. */
export const platformB: Platform = {
  blank: 'default',
  spelledId: spelledGuid,
  ownFields,
  mappings: {
    project,
    customer,
    contract,
    invoice,
    payment,
    employee,
    time_entry: timeEntry,
    change_order: changeOrder,
    budget_line_item: budgetLineItem,
  },
};
