import type { Signoff } from '../../data/signoffs';
import { countText } from '../values/money-text';
import type { MarkedStatus } from '../values/status-mark';

/** What a name is to a statement. */
export const roleWords: Readonly<Record<Signoff['role'], string>> = {
  prepared: 'Prepared',
  reviewed: 'Reviewed',
};

type Standing = Pick<Signoff, 'state' | 'current' | 'changes_total' | 'compared'>;

/**
 * Whether the figures are still the signed ones. A comparison with an incomplete statement is marked as preliminary.
 */
export function standingOf({ state, current, changes_total: total, compared }: Standing): MarkedStatus {
  if (state === 'withdrawn') return { state: 'offset', words: 'Withdrawn' };
  const soFar = compared?.complete === false ? ' so far' : '';
  if (current) return { state: soFar === '' ? 'tied' : 'offset', words: `Current${soFar}` };
  return {
    state: 'open',
    words: `${countText(total)} ${total === 1 ? 'figure has' : 'figures have'} changed${soFar}`,
  };
}
