import type { components, TranslationClient } from '@app/client';
import { hrefOf } from '../location';
import { membersOf, type CaseQuery } from './case-query';
import { PAGE_SIZE, type QueriedPage } from './pages';

type Schemas = components['schemas'];
export type Case = Schemas['ReconciliationCase'];
export type CaseDetail = Schemas['ReconciliationCaseDetail'];
export type CaseFacets = Schemas['CaseFacets'];

/** A page of cases, and the cursor that it was read with: undefined for the first. */
export interface CasesPage extends QueriedPage<Case, CaseQuery> {
  readonly facets: CaseFacets;
  readonly cursor: string | undefined;
}

/** The name of a list of cases among what was read; with a cursor that of one of its pages. */
export const casesKey = (query: CaseQuery): readonly unknown[] => ['cases', query];

/** Reads a page of cases. */
export async function readCases(
  api: TranslationClient,
  query: CaseQuery,
  cursor: string | undefined,
  signal: AbortSignal,
): Promise<CasesPage> {
  const page = await api.cases(
    { ...query, limit: PAGE_SIZE, ...(cursor !== undefined && { cursor }) },
    { signal },
  );
  return { ...page, cursor, query };
}

/** Where a case is worked on, with the list and the page that it stands in. */
export function caseHref(id: string, query: CaseQuery, cursor: string | undefined): string {
  return hrefOf(`/cases/${encodeURIComponent(id)}`, { ...membersOf(query), page: cursor });
}

/** Where an object is shown. */
export function objectHref(canonicalId: string): string {
  return hrefOf(`/objects/${encodeURIComponent(canonicalId)}`);
}
