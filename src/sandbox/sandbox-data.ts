import type { PlatformName, StoredEntityType } from '@app/mapper';

/** One data file of the sandbox: a JSON array of records of one resource. */
export interface SandboxFile {
  readonly file: string;
  readonly entityType: StoredEntityType;
  /** The resource's variant, where a type has several. */
  readonly variant: string | null;
}

/** What a sandbox platform is made of. */
export interface SandboxPlatform {
  /** Currency of amounts that name none: the account's on the project platform, the local one in the ERP. */
  readonly currency: string;
  readonly files: readonly SandboxFile[];
}

/** The sandbox data set of each platform. */
export const sandboxPlatforms: Readonly<Record<PlatformName, SandboxPlatform>> = {
  platform_a: {
    currency: 'USD',
    files: [
      { file: 'projects.json', entityType: 'project', variant: null },
      { file: 'vendors.json', entityType: 'customer', variant: null },
      { file: 'work_order_contracts.json', entityType: 'contract', variant: 'WorkOrderContract' },
      { file: 'purchase_order_contracts.json', entityType: 'contract', variant: 'PurchaseOrderContract' },
      { file: 'requisitions.json', entityType: 'invoice', variant: null },
      { file: 'contract_payments.json', entityType: 'payment', variant: null },
    ],
  },
  platform_b: {
    currency: 'QAR',
    files: [
      { file: 'projects.json', entityType: 'project', variant: null },
      { file: 'customers.json', entityType: 'customer', variant: null },
      { file: 'sales_orders.json', entityType: 'contract', variant: null },
      { file: 'sales_invoices.json', entityType: 'invoice', variant: null },
      { file: 'customer_payments.json', entityType: 'payment', variant: null },
    ],
  },
};
