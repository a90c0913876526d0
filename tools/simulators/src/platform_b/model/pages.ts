import { salesInvoiceLines, salesInvoices, salesOrderLines, salesOrders } from './document-pages';
import type { EntitySet } from './entity-set';
import {
  customerPaymentJournals,
  customerPayments,
  customers,
  journals,
  paymentsWithCurrency,
  projects,
  referenceSets,
} from './master-pages';

/** Where a page is published: with the platform, or by a publisher of one's own. */
export type Route = 'standard' | 'custom';

const byName = (sets: readonly EntitySet[]): ReadonlyMap<string, EntitySet> =>
  new Map(sets.map((set) => [set.name, set]));

/** The pages of each route. A custom page stands alone: the standard ones are not under its route. */
export const pages: Readonly<Record<Route, ReadonlyMap<string, EntitySet>>> = {
  standard: byName([
    customers,
    projects,
    salesOrders,
    salesOrderLines,
    salesInvoices,
    salesInvoiceLines,
    customerPaymentJournals,
    customerPayments,
    journals,
    ...referenceSets,
  ]),
  custom: byName([paymentsWithCurrency]),
};
