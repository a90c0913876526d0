import type { JsonObject, NativeChange, StoredEntityType } from '@app/mapper';
import type { WriteCommand } from '../../connector';
import { localCurrency } from '../reading/local-currency';
import { paymentCurrency } from '../reading/payment-currency';
import type { Session } from '../session';
import { hasWantedValue, textIn } from '../pages/compare-fields';
import { isOffPage } from './payment-page';

/**
 * The changes that a record does not have yet. A blank currency is the company's own: some pages show it blank, and
 * others by its code. A payment whose page has no currency is in the one that the platform gives it.
 *
 * @throws PlatformError
 */
export async function changesNotShown(
  session: Session,
  entityType: StoredEntityType,
  changes: readonly NativeChange[],
  shown: JsonObject,
  signal: AbortSignal,
): Promise<readonly NativeChange[]> {
  const isDerived =
    !Object.hasOwn(shown, 'currencyCode') &&
    changes.some((change) => isOffPage(session.settings, entityType, change));
  const record = isDerived
    ? { ...shown, currencyCode: await paymentCurrency(session, shown, signal) }
    : shown;
  const open = changes.filter((change) => !hasWantedValue(entityType, change, record));
  // The company is asked only where it matters.
  if (!open.some((change) => isCurrency(change) && isBlank(change, record))) return open;
  const own = await localCurrency(session, signal);
  return open.filter((change) => !isOwnCurrency(change, record, own));
}

/**
 * The changes that are not open any more, and were so in the record that they were made for: an attempt before has made
 * them, as far as anybody can see.
 *
 * @param before where it is not known, nothing is said
 * @throws PlatformError
 */
export async function changesShownSince(
  session: Session,
  { entityType, changes }: Pick<WriteCommand, 'entityType' | 'changes'>,
  before: JsonObject | undefined,
  open: readonly NativeChange[],
  signal: AbortSignal,
): Promise<readonly NativeChange[]> {
  if (before === undefined) return [];
  const closed = changes.filter((change) => !open.includes(change));
  return changesNotShown(session, entityType, closed, before, signal);
}

/** Whether a change says in one way that the currency is the company's own, and the record in the other. */
export function isOwnCurrency(change: NativeChange, record: JsonObject, own: string): boolean {
  if (!isCurrency(change)) return false;
  const [wanted, shown] = codesIn(change, record);
  return wanted === '' ? shown === own : shown === '' && wanted === own;
}

function isBlank(change: NativeChange, record: JsonObject): boolean {
  return codesIn(change, record).includes('');
}

function codesIn({ value }: NativeChange, record: JsonObject): readonly [wanted: string, shown: string] {
  const wanted = typeof value === 'string' ? value : '';
  return [wanted.trim().toUpperCase(), textIn(record, 'currencyCode').trim().toUpperCase()];
}

function isCurrency({ path }: NativeChange): boolean {
  return path.length === 1 && path[0] === 'currencyCode';
}
