import type { NativeChange } from '@app/mapper';
import type { Refused } from '../connectors/connector';
import type { StoredCommand } from './outbox-command';

/** Fields that a reason names one by one. */
const MOST_NAMED = 20;

/** What people read of a write of which the platform took a part only: what was written, what was not, and why. */
export function partWords(
  { platformId, changes }: Pick<StoredCommand, 'platformId' | 'changes'>,
  { changes: refused, reason }: Refused,
): string {
  const left = new Set(refused.map(nameOf));
  const written = changes.filter((change) => !left.has(nameOf(change)));
  const done = platformId === null ? 'created' : `written: ${namesOf(written)}`;
  return `${done}; not written: ${namesOf(refused)} (${reason})`;
}

/** What people read of a write of which the platform shows a part only. */
export function unseenWords(
  { platform }: Pick<StoredCommand, 'platform'>,
  unseen: readonly NativeChange[],
): string {
  return `${platform} took ${namesOf(unseen)}, and does not show it`;
}

function namesOf(changes: readonly NativeChange[]): string {
  const more = changes.length - MOST_NAMED;
  const named = changes.slice(0, MOST_NAMED).map(nameOf).join(', ');
  return more > 0 ? `${named} and ${more} more` : named;
}

function nameOf({ path }: NativeChange): string {
  return path.join('.');
}
