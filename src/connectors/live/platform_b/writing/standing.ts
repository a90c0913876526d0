import type { JsonObject, NativeChange, StoredEntityType } from '@app/mapper';
import { localCurrency } from '../reading/local-currency';
import type { Session } from '../session';
import { isAsWanted, textIn } from '../pages/wanted';

/**
 * The changes that a record does not have yet. A blank currency is the company's own: some pages show it blank, and
 * others by its code.
 *
 * @throws PlatformError
 */
export async function stillWanted(
  session: Session,
  entityType: StoredEntityType,
  changes: readonly NativeChange[],
  record: JsonObject,
  signal: AbortSignal,
): Promise<readonly NativeChange[]> {
  const open = changes.filter((change) => !isAsWanted(entityType, change, record));
  const currency = open.find(({ path }) => path.length === 1 && path[0] === 'currencyCode');
  if (currency === undefined) return open;
  const wanted = typeof currency.value === 'string' ? currency.value.trim().toUpperCase() : '';
  const shown = textIn(record, 'currencyCode').trim().toUpperCase();
  if (wanted !== '' && shown !== '') return open;
  const own = await localCurrency(session, signal);
  return wanted === own || shown === own ? open.filter((change) => change !== currency) : open;
}
