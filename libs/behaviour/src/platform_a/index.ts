import { join } from 'node:path';
import type { PlatformBehaviour } from '../behaviour';
import { portfolioFrom, type PortfolioFile } from '../json-files';
import { lockOnPlatformA } from './lock';
import { writeToPlatformA } from './write';

const file = (name: string, rest: Omit<PortfolioFile, 'path'>): PortfolioFile => ({
  path: join(__dirname, 'portfolio', `${name}.json`),
  ...rest,
});

/** The project platform. */
export const platformA: PlatformBehaviour = {
  currency: 'USD',
  portfolio: portfolioFrom([
    file('projects', { entityType: 'project' }),
    file('vendors', { entityType: 'customer' }),
    file('work_order_contracts', { entityType: 'contract', variant: 'WorkOrderContract' }),
    file('purchase_order_contracts', { entityType: 'contract', variant: 'PurchaseOrderContract' }),
    file('requisitions', { entityType: 'invoice' }),
    file('contract_payments', { entityType: 'payment' }),
  ]),
  write: writeToPlatformA,
  lockOn: lockOnPlatformA,
};
