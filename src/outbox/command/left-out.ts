import type { StoredCommand } from './outbox-command';
import { close, type Recorder } from '../outcome/recorder';
import { commandsOf } from './stored-commands.repository';

/** The commands of a change that wait behind one of them. */
export async function waitingBehind(
  { store, customerId }: Recorder,
  { propagationId, position }: StoredCommand,
): Promise<readonly StoredCommand[]> {
  const all = await commandsOf(store, customerId, propagationId);
  return all.filter((other) => other.position > position && other.status === 'waiting');
}

/** Leaves a command out, since the platform whose value counts did not take the change. */
export async function leaveOut(
  recorder: Recorder,
  command: StoredCommand,
  { platform }: StoredCommand,
): Promise<void> {
  await close(recorder, command, 'skipped', `${platform} did not take the change`, command.platformId);
}
