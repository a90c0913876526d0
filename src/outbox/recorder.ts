import type { Connectors } from '../connectors/registry';
import type { Store } from '../database/store';
import { accountFor } from './history.repository';
import type { CommandStatus, StoredCommand } from './outbox-command';
import { decide } from './outbox.repository';

/** What recording an outcome works with. */
export interface Recorder {
  readonly store: Store;
  readonly customerId: string;
  readonly connectors: Connectors;
}

/** Decides a command, and says so in the history of its change. */
export async function close(
  { store, customerId }: Pick<Recorder, 'store' | 'customerId'>,
  command: StoredCommand,
  status: Exclude<CommandStatus, 'waiting' | 'sending' | 'uncertain'>,
  reason: string | null,
  platformId: string | null,
): Promise<void> {
  await decide(store, customerId, command.id, status, reason);
  await accountFor(store, customerId, command.propagationId, command.platform, {
    status,
    reason,
    platformId,
  });
}
