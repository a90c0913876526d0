import type { JsonObject, NativeChange, StoredEntityType } from '@app/mapper';
import type { WriteCommand } from '../../../connector';
import { localCurrency } from '../../reading/local-currency';
import { paymentCurrency } from '../../reading/payment-currency';
import type { Session } from '../../session';
import { hasWantedValue, textIn } from '../../pages/compare-fields';
import { isOffPage } from './payment-page';

/**
 * Returns the changes that a record does not show yet. A blank currency means the company's own currency: some pages
 * show it blank and others by its code. A payment on a page without a currency has the currency that the platform
 * assigns.
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
  // Ask the company for its currency only if the result depends on it.
  if (!open.some((change) => isCurrency(change) && isBlank(change, record))) return open;
  const own = await localCurrency(session, signal);
  return open.filter((change) => !isOwnCurrency(change, record, own));
}

/**
 * Returns the changes that the record shows now and did not show when the change was planned. An earlier attempt has
 * most likely made them.
 *
 * @param before the record that the change was planned for; if it is undefined, the result is empty
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

/**
 * Whether a change and a record both mean the company's own currency, one by a blank value and the other by its code.
 */
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
