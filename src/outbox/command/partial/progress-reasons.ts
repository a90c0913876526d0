import type { NativeChange } from '@app/mapper';
import type { RefusedChanges } from '../../../platforms/connector';
import { fieldName } from './partial-progress';
import type { StoredCommand } from '../outbox-command';

/** The most fields that one reason names. */
const MOST_NAMED = 20;

/**
 * The reason for a partly applied write: which fields were written, which were not, and why. Fields that an earlier
 * attempt wrote count as written, even if another user has overwritten them since.
 */
export function partialWriteReason(
  { platformId, changes, made }: Pick<StoredCommand, 'platformId' | 'changes' | 'made'>,
  { changes: refused, reason, isUnknown }: RefusedChanges,
): string {
  const before = new Set(made.changes.map(fieldName));
  const left = new Set(refused.map(fieldName));
  const written = [
    ...made.changes,
    ...changes.filter((change) => !left.has(fieldName(change)) && !before.has(fieldName(change))),
  ];
  const unwritten = refused.filter((change) => !before.has(fieldName(change)));
  const done = platformId === null ? 'created' : `written: ${namesOf(written)}`;
  return unwritten.length === 0
    ? `${done} (${reason})`
    : `${done}; ${isUnknown ? 'not known to be written' : 'not written'}: ${namesOf(unwritten)} (${reason})`;
}

/** The reason for a command that was not applied and has effects nevertheless; undefined if it has none. */
export function progressReason({
  platformId,
  made,
}: Pick<StoredCommand, 'platformId' | 'made'>): string | undefined {
  if (platformId !== null) {
    return made.changes.length === 0 ? undefined : `written before: ${namesOf(made.changes)}`;
  }
  const ids = [...made.formerly, ...(made.createdAs === undefined ? [] : [made.createdAs])];
  return ids.length === 0 ? undefined : `created before as ${ids.join(', ')}`;
}

/** Joins reasons; null if there are none. */
export function joinedReasons(...reasons: readonly (string | null | undefined)[]): string | null {
  const given = reasons.filter((reason) => typeof reason === 'string' && reason !== '');
  return given.length === 0 ? null : given.join('; ');
}

/** The reason for a write of which the platform shows only a part. */
export function unseenFieldsReason(
  { platform }: Pick<StoredCommand, 'platform'>,
  unseen: readonly NativeChange[],
): string {
  return `${platform} took ${namesOf(unseen)}, and does not show it`;
}

function namesOf(changes: readonly NativeChange[]): string {
  const more = changes.length - MOST_NAMED;
  const named = changes.slice(0, MOST_NAMED).map(fieldName).join(', ');
  return more > 0 ? `${named} and ${more} more` : named;
}
