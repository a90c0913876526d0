import type { JsonObject } from '@app/mapper';
import type { NewEvent } from '../../records/events/events.repository';
import type { FigureChange } from './signed-figures';
import type { StoredSignoff } from './stored-signoff';

type NamedSignoff = Omit<StoredSignoff, 'withdrawn' | 'isOutdated'>;

/** The event that a person signed a statement. Pure. */
export function statementSigned(signoff: NamedSignoff): NewEvent {
  const { entityType, signedAt, note } = signoff;
  return { type: 'statement.signed', entityType, data: { ...nameOf(signoff), signed_at: signedAt, note } };
}

/** The event that signed figures were found to have changed. Pure. */
export function signoffOutdated(
  signoff: NamedSignoff,
  { asOf, changes }: { readonly asOf: string; readonly changes: readonly FigureChange[] },
): NewEvent {
  return {
    type: 'statement.signoff_outdated',
    entityType: signoff.entityType,
    data: { ...nameOf(signoff), compared_as_of: asOf, changes_total: changes.length },
  };
}

function nameOf(signoff: NamedSignoff): JsonObject {
  return {
    signoff_id: signoff.id,
    role: signoff.role,
    signed_by: signoff.signedBy,
    digest: signoff.digest,
    as_of: signoff.asOf,
    through: signoff.through,
    currency: signoff.currency,
    platforms: [...signoff.platforms],
    entity_type: signoff.entityType,
    project_id: signoff.projectId,
  };
}
