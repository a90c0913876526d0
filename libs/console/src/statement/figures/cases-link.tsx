import type { ReactNode } from 'react';
import { Link } from 'wouter';
import type { CaseQuery } from '../../data/case-query';
import { hrefOf, useQueryMembers } from '../../location';
import type { Filters } from './case-filters';

interface CasesLinkProps {
  readonly type: NonNullable<CaseQuery['entity_type']>;
  /** Without them the figure has no cases, and is no link. */
  readonly filters: Filters | undefined;
  readonly children: ReactNode;
}

/** From a figure to the cases behind it, of the same moment, cut-off and project. */
export function CasesLink({ type, filters, children }: CasesLinkProps): ReactNode {
  const members = useQueryMembers();
  if (filters === undefined) return children;
  const scope = Object.fromEntries(
    ['as_of', 'through', 'project_id'].map((name) => [name, members.get(name) ?? undefined]),
  );
  return <Link href={hrefOf('/cases', { entity_type: type, ...filters, ...scope })}>{children}</Link>;
}
