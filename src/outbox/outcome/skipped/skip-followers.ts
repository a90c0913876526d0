import type { StoredCommand } from '../../command/outbox-command';
import { close, type Recorder } from '../recorder';
import { commandsOf } from '../../command/stored/stored-commands.repository';

/** The waiting commands of the same change that are sent after a command. */
export async function waitingBehind(
  { tx }: Recorder,
  { propagationId, position }: StoredCommand,
): Promise<readonly StoredCommand[]> {
  const all = await commandsOf(tx, propagationId);
  return all.filter((other) => other.position > position && other.status === 'waiting');
}

/** Skips a command, because the leading platform did not accept the change. */
export async function skipCommand(
  recorder: Recorder,
  command: StoredCommand,
  { platform }: StoredCommand,
): Promise<void> {
  await close(recorder, command, 'skipped', `${platform} did not take the change`, command.platformId);
}
