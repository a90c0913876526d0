import { isPlatformName, type DescriptionContext } from '@app/mapper';
import type { CustomerTransaction } from '../../database/transaction/store';
import type { ConnectionsRepository } from '../connections/connections.repository';
import { loadTerms } from './terms.repository';

/**
 * Loads the facts about a customer on which the descriptions of types depend. A platform that is not connected is described
 * as the platform itself, not as its sandbox.
 */
export async function loadDescriptionContext(
  tx: CustomerTransaction,
  connections: ConnectionsRepository,
): Promise<DescriptionContext> {
  const [connected, { precedence, own }] = await Promise.all([connections.list(tx), loadTerms(tx)]);
  const sandboxes = connected.flatMap(({ platform, mode }) =>
    mode === 'sandbox' && isPlatformName(platform) ? [platform] : [],
  );
  return { precedence, own, sandboxes: new Set(sandboxes) };
}
