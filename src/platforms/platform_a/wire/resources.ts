import { mappingOf, variantsOf, type NativeResource, type StoredEntityType } from '@app/mapper';
import type { Query, Session } from './session';

/** The description of the resource of a type. Both kinds of contract have the same fields. */
export function nativeResource(entityType: StoredEntityType, variant: string | null = null): NativeResource {
  return mappingOf('platform_a', entityType, { variant }).resource;
}

/** One of the two resources that hold contracts. */
export interface ContractKind {
  /** As a record names its variant. */
  readonly variant: string;
  /** As gaps name it. */
  readonly name: string;
  readonly path: string;
}

export const contractKinds: readonly ContractKind[] = Object.entries(
  variantsOf('platform_a', 'contract')?.variants ?? {},
).map(([variant, { resource }]) => ({ variant, name: resource.name, path: resource.path }));

/** Paths of reading, and of calls beside those of a record. Each resource has a version of its own. */
export const paths = {
  projectList: '/rest/v1.1/projects',
  projects: nativeResource('project').path,
  vendors: nativeResource('customer').path,
  inactiveVendors: (company: string) => `/rest/v1.0/companies/${company}/vendors/inactive`,
  projectVendors: (project: string) => `/rest/v1.1/projects/${project}/vendors`,
  requisitions: nativeResource('invoice').path,
  requisitionItems: (requisition: string) => `/rest/v1.0/requisitions/${requisition}/bulk_item_update`,
  requisitionDueDate: (company: string, project: string, requisition: string) =>
    `/rest/v2.0/companies/${company}/projects/${project}/requisitions/${requisition}/payment_details`,
  currencies: (company: string) => `/rest/v1.0/companies/${company}/currency_configuration`,
  payments: nativeResource('payment').path,
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
