import type { ReactNode } from 'react';
import { Link } from 'wouter';
import type { CaseQuery } from '../../data/case-query';
import type { StatementQuery } from '../../data/queries';
import { hrefOf } from '../../location';
import type { Filters } from './case-filters';

interface CasesLinkProps {
  readonly type: NonNullable<CaseQuery['entity_type']>;
  /** What the statement with the figure was read for. */
  readonly query: StatementQuery;
  /** Without them the figure has no cases, and is no link. */
  readonly filters: Filters | undefined;
  readonly children: ReactNode;
}

/** From a figure to the cases behind it, of the same moment, cut-off and project. */
export function CasesLink({ type, query, filters, children }: CasesLinkProps): ReactNode {
  if (filters === undefined) return children;
  const { as_of, through, project_id } = query;
  const scope = { as_of, through, project_id };
  return <Link href={hrefOf('/cases', { entity_type: type, ...filters, ...scope })}>{children}</Link>;
}
