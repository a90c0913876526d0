import type { JsonObject } from '@app/mapper';
import type { LoadedObject } from '../records/stored-objects';
import { informFollowers } from './followers';
import { swapExtra } from './history.repository';
import type { StoredCommand } from './outbox-command';
import { commandsOf } from './stored-commands.repository';
import { close, type Recorder } from './recorder';
import { showOpen } from './show-open';

/**
 * Records that a platform did not take a command, or that nobody knows whether it did: what was accepted is taken back.
 * Where that platform's value counts, the others do not get the change either.
 *
 * @param known the record as the platform holds it, where that was learnt
 */
export async function recordRefused(
  recorder: Recorder,
  object: LoadedObject,
  command: StoredCommand,
  status: 'rejected' | 'held' | 'skipped',
  reason: string,
  known?: JsonObject,
): Promise<void> {
  const { store, customerId } = recorder;
  const undone = [command];
  await close(recorder, command, status, reason, command.platformId);
  if (command.recording.leading) {
    for (const other of await commandsOf(store, customerId, command.propagationId)) {
      if (other.position <= command.position || other.status !== 'waiting') continue;
      undone.push(other);
      const why = `${command.platform} did not take the change`;
      await close(recorder, other, 'skipped', why, other.platformId);
    }
    await swapExtra(recorder, object.id, command.propagationId, 'take_back');
  }
  for (const one of undone) {
    const copy = object.copies.find(({ platform }) => platform === one.platform);
    if (copy === undefined) continue;
    const current = one === command ? (known ?? copy.known) : copy.known;
    await informFollowers(recorder, one, current, 'none');
  }
  await showOpen(
    recorder,
    object,
    new Map(known === undefined ? [] : [[command.platform, known]]),
    new Map(undone.map(({ platform, recording }) => [platform, recording.before])),
  );
}
