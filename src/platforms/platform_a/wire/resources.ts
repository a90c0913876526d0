import type { Query, Session } from './session';

/** The two resources that hold contracts. */
export interface ContractKind {
  /** As a record names its variant. */
  readonly variant: 'WorkOrderContract' | 'PurchaseOrderContract';
  /** As gaps name it, and as its paths do. */
  readonly name: 'work_order_contracts' | 'purchase_order_contracts';
  readonly path: string;
  /** The key of a body. */
  readonly wrapper: 'work_order_contract' | 'purchase_order_contract';
}

export const contractKinds: readonly ContractKind[] = [
  {
    variant: 'WorkOrderContract',
    name: 'work_order_contracts',
    path: '/rest/v1.0/work_order_contracts',
    wrapper: 'work_order_contract',
  },
  {
    variant: 'PurchaseOrderContract',
    name: 'purchase_order_contracts',
    path: '/rest/v1.0/purchase_order_contracts',
    wrapper: 'purchase_order_contract',
  },
];

/** Each resource has a version of its own. */
export const paths = {
  projectList: '/rest/v1.1/projects',
  projects: '/rest/v1.0/projects',
  vendors: '/rest/v1.0/vendors',
  inactiveVendors: (company: string) => `/rest/v1.0/companies/${company}/vendors/inactive`,
  projectVendors: (project: string) => `/rest/v1.1/projects/${project}/vendors`,
  requisitions: '/rest/v1.1/requisitions',
  requisitionItems: (requisition: string) => `/rest/v1.0/requisitions/${requisition}/bulk_item_update`,
  requisitionDueDate: (company: string, project: string, requisition: string) =>
    `/rest/v2.0/companies/${company}/projects/${project}/requisitions/${requisition}/payment_details`,
  currencies: (company: string) => `/rest/v1.0/companies/${company}/currency_configuration`,
  payments: '/rest/v1.0/contract_payments',
} as const;

/** Parameters of lists of the company. */
export function ofCompany({ settings }: Pick<Session, 'settings'>): Query {
  return [['company_id', settings.company_id]];
}

export function ofProject(project: string): Query {
  return [['project_id', project]];
}

/** Only the records with these IDs. */
export function withIds(ids: readonly string[]): Query {
  return ids.map((id) => ['filters[id][]', id] as const);
}

/** The views that records are stored in. A record that is read in another one would look changed. */
export const storedViews = {
  projects: [
    ['filters[by_status]', 'All'],
    ['view', 'extended'],
  ],
  vendors: [['view', 'extended']],
  contracts: [['view', 'extended']],
  requisitions: [['view', 'extended']],
  requisitionItems: [['view', 'items']],
} as const satisfies Record<string, Query>;

/** The platform gives up to so many projects at a time. */
export const PROJECTS_PER_PAGE = 300;
