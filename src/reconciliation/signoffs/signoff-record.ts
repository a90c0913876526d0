import { moneySum } from '../statement/statement-record';
import type { Compared } from './compared-signoffs';
import type { FigureChange, SignedFigure } from './signed-figures';
import type { FigureChangeResponse, FigureValue, Signoff, SignedFigureResponse } from './signoffs.response';
import type { StoredSignoff } from './stored-signoff';

/** Changes that each sign-off of a list names. */
const LISTED_CHANGES = 100;

/**
 * A sign-off in its public form. Pure.
 *
 * @param compared what has become of its figures; undefined for one that is withdrawn
 * @param most changes to show
 */
export function signoffFrom(
  signoff: StoredSignoff,
  compared: Compared | undefined,
  most = LISTED_CHANGES,
): Signoff {
  const changes = compared?.changes ?? [];
  return {
    id: signoff.id,
    role: signoff.role,
    signed_by: signoff.signedBy,
    note: signoff.note,
    signed_at: signoff.signedAt,
    state: signoff.withdrawn === null ? 'standing' : 'withdrawn',
    withdrawn: signoff.withdrawn,
    as_of: signoff.asOf,
    through: signoff.through,
    platforms: signoff.platforms,
    entity_type: signoff.entityType,
    project_id: signoff.projectId,
    currency: signoff.currency,
    digest: signoff.digest,
    current: compared !== undefined && changes.length === 0,
    changes: changes.slice(0, most).map(changeFrom),
    changes_total: changes.length,
    compared: compared === undefined ? null : { as_of: compared.asOf, complete: compared.complete },
  };
}

/** Signed figures in their public form. Pure. */
export function figuresFrom(figures: readonly SignedFigure[]): readonly SignedFigureResponse[] {
  return figures.map((figure) => ({ ...nameOf(figure), ...valueFrom(figure, figure.currency) }));
}

function changeFrom({ before, after, ...figure }: FigureChange): FigureChangeResponse {
  const { currency } = figure;
  return { ...nameOf(figure), before: valueFrom(before, currency), after: valueFrom(after, currency) };
}

function nameOf({
  entityType,
  part,
  line,
  platform,
}: Omit<SignedFigure, 'count' | 'amount'>): Omit<SignedFigureResponse, keyof FigureValue> {
  return { entity_type: entityType, part, line, platform };
}

function valueFrom(
  { count, amount }: Pick<SignedFigure, 'count' | 'amount'>,
  currency: string | null,
): FigureValue {
  return { count, amount: amount === null || currency === null ? null : moneySum(amount, currency) };
}
