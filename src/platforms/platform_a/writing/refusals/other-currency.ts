import { isJsonObject, ownMember } from '@app/mapper';
import { paths } from '../../wire/resources';
import { wantedOf } from '../fields/values';
import type { WriteContext } from '../write-context';

/**
 * Why a contract cannot be created in the wanted currency; undefined if it can, or if the currency is unknown. A
 * company with one currency ignores any other currency, and the contract's amount would then mean something else.
 *
 * @throws as reading does
 */
export async function otherCurrency({ session, command }: WriteContext): Promise<string | undefined> {
  const wanted = wantedOf(command, 'currency_configuration.currency_iso_code');
  if (command.entityType !== 'contract' || typeof wanted !== 'string') return undefined;
  const { company_id: company, currency } = session.settings;
  if (wanted === currency) return undefined;
  const result = await session.get(session.address(paths.currencies(company)));
  const body = result.kind === 'answered' && result.response.ok ? result.response.json() : undefined;
  if (body?.kind !== 'json' || !isJsonObject(body.value)) return undefined;
  const own = ownMember(body.value, 'currency_iso_code');
  const isOnly = ownMember(body.value, 'multicurrency_enabled') === false;
  return isOnly && typeof own === 'string' && own !== wanted
    ? `${command.platform} keeps contracts in ${own}, not in ${wanted}`
    : undefined;
}
