import type { components, operations } from '@app/client';
import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { hrefOf } from '../location';
import { useApi } from './api';
import type { KeysetPage } from './pages';

type Schemas = components['schemas'];
export type Signoff = Schemas['Signoff'];
export type FigureChange = Schemas['FigureChange'];
export type SignoffQuery = Pick<
  NonNullable<operations['listSignoffs']['parameters']['query']>,
  'state' | 'role'
>;

/** Names of what is read: invalidating `['signoffs']` reads every list and every sign-off again. */
export const signoffKeys = {
  all: ['signoffs'],
  list: (query: SignoffQuery) => ['signoffs', 'list', query],
  latest: ['signoffs', 'latest'],
  one: (id: string) => ['signoffs', 'one', id],
} as const;

/** As many as a statement looks for its names in: the service compares each scope among them. */
export const LATEST = 20;

/** The latest sign-offs that stand. */
export function useLatestSignoffs(): UseQueryResult<KeysetPage<Signoff>> {
  const api = useApi();
  return useQuery({
    queryKey: signoffKeys.latest,
    queryFn: ({ signal }) => api.signoffs({ state: 'standing', limit: LATEST }, { signal }),
  });
}

/** Where a sign-off is shown. */
export function signoffHref({ id }: Pick<Signoff, 'id'>): string {
  return hrefOf(`/signoffs/${encodeURIComponent(id)}`);
}

type SignedScope = Pick<Signoff, 'as_of' | 'through' | 'currency' | 'entity_type' | 'project_id'>;

/** The statement that was signed. */
export function signedStatementHref(signoff: SignedScope): string {
  return statementHref(signoff, signoff.as_of);
}

/** The statement of the same scope as it is known now. */
export function presentStatementHref(signoff: SignedScope): string {
  return statementHref(signoff, undefined);
}

function statementHref(signoff: SignedScope, asOf: string | undefined): string {
  const { through, currency, entity_type: type, project_id: project } = signoff;
  return hrefOf('/', {
    as_of: asOf,
    through: through ?? undefined,
    currency,
    entity_type: type ?? undefined,
    project_id: project ?? undefined,
  });
}
