import { join } from 'node:path';
import type { PlatformBehaviour } from '../behaviour';
import { portfolioFrom, type PortfolioFile } from '../json-files';
import { LOCAL_CURRENCY } from './company';
import { writeToPlatformB } from './write';

const file = (name: string, rest: Omit<PortfolioFile, 'path'>): PortfolioFile => ({
  path: join(__dirname, 'portfolio', `${name}.json`),
  ...rest,
});

/** The ERP. */
export const platformB: PlatformBehaviour = {
  currency: LOCAL_CURRENCY,
  portfolio: portfolioFrom([
    file('projects', { entityType: 'project' }),
    file('customers', { entityType: 'customer' }),
    file('sales_orders', { entityType: 'contract' }),
    file('sales_invoices', { entityType: 'invoice' }),
    file('customer_payments', { entityType: 'payment' }),
  ]),
  write: writeToPlatformB,
};
