import { isCurrency, isJsonArray, isJsonObject, ownMember, type JsonObject } from '@app/mapper';
import { PlatformRefused, PlatformUnavailable } from '../../platform-error';
import { companyUrl } from '../addresses';
import type { Session } from '../session';
import { NotPermitted, objectAnswered } from './records-in';

/**
 * The currency of amounts that name none: the currency of the settings, or else the company's own.
 *
 * @throws PlatformError
 */
export async function localCurrency(session: Session, signal: AbortSignal): Promise<string> {
  const { settings } = session;
  if (settings.currency !== undefined) return settings.currency;
  const url = `${companyUrl(settings)}/generalLedgerSetup`;
  const result = await session.read(url, signal);
  let setup: JsonObject;
  try {
    setup = objectAnswered(result);
  } catch (error) {
    if (!(error instanceof NotPermitted)) throw error;
    throw new PlatformRefused(
      'platform_b',
      error.status,
      `does not show its currency (${error.status}); name one in the connection's settings`,
    );
  }
  // Some versions return a list with one item, others the item itself.
  const list = ownMember(setup, 'value');
  const first = isJsonArray(list) ? list[0] : setup;
  const code = isJsonObject(first) ? ownMember(first, 'localCurrencyCode') : undefined;
  if (typeof code === 'string' && isCurrency(code.trim().toUpperCase())) return code.trim().toUpperCase();
  throw new PlatformUnavailable(
    'platform_b',
    200,
    "shows no currency of its own; name one in the connection's settings",
  );
}
