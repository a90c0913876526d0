import { isJsonObject, ownMember, type JsonValue } from '@app/mapper';
import { PlatformUnavailable } from '../../../platform-error';
import { platformErrorOf } from '../../../live/transport/result-error';
import { gatewayNotFound } from '../../wire/gateway-not-found';
import { paths } from '../../wire/resources';
import type { Session } from '../../wire/session';
import { wantedOf } from '../fields/values';
import type { WriteContext } from '../write-context';

/**
 * Why a contract cannot be created in the wanted currency; undefined if it can, or if the platform does not tell. A
 * company with one currency ignores any other currency, and the contract's amount would then mean something else.
 *
 * @throws PlatformError if the platform may tell later
 */
export async function otherCurrency({ session, command }: WriteContext): Promise<string | undefined> {
  const wanted = wantedOf(command, 'currency_configuration.currency_iso_code');
  if (command.entityType !== 'contract' || typeof wanted !== 'string') return undefined;
  if (wanted === session.settings.currency) return undefined;
  const configuration = await currencyConfiguration(session);
  if (!isJsonObject(configuration)) return undefined;
  const own = ownMember(configuration, 'currency_iso_code');
  const isOnly = ownMember(configuration, 'multicurrency_enabled') === false;
  return isOnly && typeof own === 'string' && own !== wanted
    ? `${command.platform} keeps contracts in ${own}, not in ${wanted}`
    : undefined;
}

/** How the company uses currencies; undefined if the account may not see that. @throws PlatformError if it may later */
async function currencyConfiguration(session: Session): Promise<JsonValue | undefined> {
  const { connection, settings } = session;
  const result = await session.get(session.address(paths.currencies(settings.company_id)));
  if (result.kind === 'answered' && result.response.ok) {
    const body = result.response.json();
    if (body.kind === 'json') return body.value;
  }
  const { platform } = connection;
  const failure = gatewayNotFound(platform, result) ?? platformErrorOf(platform, result);
  if (failure instanceof PlatformUnavailable) throw failure;
  return undefined;
}
