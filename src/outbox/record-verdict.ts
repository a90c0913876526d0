import { mappingOf, sameJson, stringifyJson, type JsonObject, type PlatformName } from '@app/mapper';
import type { Connectors } from '../connectors/registry';
import { lockCustomer } from '../database/customer-lock';
import type { Store } from '../database/store';
import { saveRecords } from '../records/changed-record';
import { nativeOwner } from '../records/native-owner';
import { loadObjects, type LoadedObject, type StoredCopy } from '../records/stored-objects';
import { accountFor, closeIfDecided, takeBackExtra } from './history.repository';
import { writeCommandOf, type CommandStatus, type StoredCommand } from './outbox-command';
import { commandsOf, decide, lockOwn, objectOf, openCommands, rebase } from './outbox.repository';
import type { Verdict } from './send-command';
import { mergeThreeWays, reasonOf, type Clash } from './three-way';

/** How often a command is made anew after somebody else changed the record. */
const MOST_CONFLICTS = 3;

type Decided = Exclude<Verdict, { status: 'put_back' }>;

interface Recorder {
  readonly store: Store;
  readonly customerId: string;
  readonly connectors: Connectors;
}

/**
 * Records what became of a command, in the caller's transaction: its status, the record, what is still accepted, and
 * the history of the change.
 *
 * @returns whether it was recorded; not when somebody else has taken the command over
 */
export async function recordVerdict(
  recorder: Recorder,
  id: string,
  owner: string,
  verdict: Decided,
): Promise<boolean> {
  const { store, customerId } = recorder;
  if (!(await lockCustomer(store, customerId, 'shared'))) return false;
  const canonicalId = await objectOf(store, customerId, id);
  if (canonicalId === undefined) return false;
  await store.query('select id from canonical_objects where customer_id = $1 and id = $2 for update', [
    customerId,
    canonicalId,
  ]);
  const command = await lockOwn(store, customerId, id, owner);
  if (command === undefined) return false;
  const [object] = await loadObjects(store, customerId, [canonicalId]);
  if (object === undefined) await close(recorder, command, 'held', 'the object is gone', null);
  else if (verdict.status === 'applied') await recordApplied(recorder, object, command, verdict.payload);
  else if (verdict.status === 'conflict') await recordConflict(recorder, object, command, verdict.current);
  else await recordRefused(recorder, object, command, verdict.status, verdict.reason);
  await closeIfDecided(store, customerId, command.propagationId);
  return true;
}

/**
 * Decides a command that nobody will send or settle any more, in the caller's transaction, which has locked the command and
 * holds the customer's lock exclusively.
 */
export async function recordCancelled(
  recorder: Recorder,
  command: StoredCommand,
  { status, reason }: { readonly status: 'skipped' | 'held'; readonly reason: string },
): Promise<void> {
  const { store, customerId } = recorder;
  const [object] = await loadObjects(store, customerId, [command.canonicalId]);
  if (object === undefined) await close(recorder, command, status, reason, command.platformId);
  else await recordRefused(recorder, object, command, status, reason);
  await closeIfDecided(store, customerId, command.propagationId);
}

async function recordApplied(
  recorder: Recorder,
  object: LoadedObject,
  command: StoredCommand,
  payload: JsonObject,
): Promise<void> {
  const { store, customerId } = recorder;
  const { platform, entityType } = command;
  const present = object.copies.find((copy) => copy.platform === platform);
  if (command.platformId !== null) {
    const same = present !== undefined && sameJson(present.known, payload);
    await close(recorder, command, same ? 'unchanged' : 'applied', command.reason, command.platformId);
    await showOpen(recorder, object, new Map([[platform, payload]]));
    return;
  }
  const { nativeId, references } = mappingOf(platform, entityType, { variant: command.variant }).decode(
    payload,
    command.recording.currencies,
  );
  const owner = nativeId && (await nativeOwner(store, customerId, platform, entityType, nativeId));
  const problem = !nativeId
    ? `${platform} did not say under which ID it created the record`
    : owner !== undefined || present !== undefined
      ? `${platform} created it under an ID that is in use`
      : undefined;
  if (nativeId === undefined || problem !== undefined) {
    await recordRefused(recorder, object, command, 'held', problem ?? '');
    return;
  }
  const ids = Object.entries(command.recording.references).filter(
    (entry): entry is [string, string] => entry[1] !== null && (references[entry[0]] ?? []).length > 0,
  );
  await saveRecords(store, customerId, object, [
    {
      platform,
      platformId: nativeId,
      variant: command.variant,
      payload,
      known: payload,
      payloadText: stringifyJson(payload),
      accepted: null,
      ...command.recording.currencies,
      references: Object.fromEntries(ids),
    },
  ]);
  await close(recorder, command, 'applied', command.reason, nativeId);
}

async function recordRefused(
  recorder: Recorder,
  object: LoadedObject,
  command: StoredCommand,
  status: 'rejected' | 'skipped' | 'held',
  reason: string,
  known?: JsonObject,
): Promise<void> {
  const { store, customerId } = recorder;
  const undone = [command];
  await close(recorder, command, status, reason, command.platformId);
  if (command.recording.leading) {
    // The platform whose value counts did not take it, so nobody else gets it.
    for (const other of await commandsOf(store, customerId, command.propagationId)) {
      if (other.position <= command.position || other.status !== 'waiting') continue;
      undone.push(other);
      await close(
        recorder,
        other,
        'skipped',
        `${command.platform} did not take the change`,
        other.platformId,
      );
    }
    await takeBackExtra(store, customerId, object.id, command.propagationId);
  }
  await showOpen(
    recorder,
    object,
    new Map(known === undefined ? [] : [[command.platform, known]]),
    new Map(undone.map(({ platform, recording }) => [platform, recording.before])),
  );
}

async function recordConflict(
  recorder: Recorder,
  object: LoadedObject,
  command: StoredCommand,
  current: JsonObject,
): Promise<void> {
  const { store, customerId, connectors } = recorder;
  const { platform } = command;
  const { changes, clashes } = mergeThreeWays(command.base ?? {}, current, command.changes);
  const reason = [command.reason, clashes.length > 0 ? reasonOf(clashes) : null]
    .filter((part) => part !== null)
    .join('; ');
  if (changes.length === 0 && clashes.length > 0) {
    await recordRefused(recorder, object, command, 'rejected', reason, current);
    return;
  }
  if (changes.length === 0) {
    await close(recorder, command, 'unchanged', reason === '' ? null : reason, command.platformId);
    await showOpen(recorder, object, new Map([[platform, current]]));
    return;
  }
  if (command.conflicts >= MOST_CONFLICTS) {
    const again = `${platform} was changed by others each time it was tried`;
    await recordRefused(recorder, object, command, 'rejected', again, current);
    return;
  }
  const connector = connectors.connectorFor({ customerId, platform, mode: command.mode });
  const rest = { ...command, changes, base: current };
  const prediction = connector.predict(writeCommandOf(customerId, rest), current);
  await rebase(store, customerId, {
    ...rest,
    predicted: prediction.status === 'applied' ? prediction.payload : command.predicted,
    reason: reason === '' ? null : reason,
    conflicts: command.conflicts + 1,
  });
  const lost = fieldsOf(command, clashes);
  if (command.recording.leading && lost.size > 0) await dropFields(recorder, command, lost);
  const before = Object.entries(command.recording.before).filter(([field]) => lost.has(field));
  await showOpen(
    recorder,
    object,
    new Map([[platform, current]]),
    new Map([[platform, Object.fromEntries(before)]]),
  );
}

/** The canonical fields that clashes are about. */
function fieldsOf(
  { platform, entityType, variant }: StoredCommand,
  clashes: readonly Clash[],
): ReadonlySet<string> {
  return new Set(mappingOf(platform, entityType, { variant }).fieldsAt(clashes.map(({ path }) => path)));
}

/** Takes fields that the platform whose value counts did not take out of the commands that follow. */
async function dropFields(
  recorder: Recorder,
  command: StoredCommand,
  lost: ReadonlySet<string>,
): Promise<void> {
  const { store, customerId, connectors } = recorder;
  for (const other of await commandsOf(store, customerId, command.propagationId)) {
    if (other.position <= command.position || other.status !== 'waiting') continue;
    const mapping = mappingOf(other.platform, other.entityType, { variant: other.variant });
    const changes = other.changes.filter(({ path }) => {
      const fields = mapping.fieldsAt([path]);
      return fields.length === 0 || !fields.every((field) => lost.has(field));
    });
    if (changes.length === other.changes.length) continue;
    if (changes.length === 0) {
      const reason = `${command.platform} did not take the change`;
      await close(recorder, other, 'skipped', reason, other.platformId);
      continue;
    }
    const rest = { ...other, changes };
    const connector = connectors.connectorFor({ customerId, platform: other.platform, mode: other.mode });
    const prediction = connector.predict(writeCommandOf(customerId, rest), other.base);
    await rebase(store, customerId, {
      ...rest,
      predicted: prediction.status === 'applied' ? prediction.payload : other.predicted,
    });
  }
}

async function close(
  { store, customerId }: Recorder,
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

/**
 * Stores the records as platforms are known to hold them now, and as the open commands will make them. The canonical
 * object shows the latter.
 *
 * @param restored references that fields have again, by platform, because the command that changed them is undone
 */
async function showOpen(
  { store, customerId, connectors }: Recorder,
  object: LoadedObject,
  learnt: ReadonlyMap<PlatformName, JsonObject>,
  restored: ReadonlyMap<PlatformName, Readonly<Record<string, string | null>>> = new Map(),
): Promise<void> {
  const open = await openCommands(store, customerId, object.id);
  const copies = object.copies.flatMap((copy): StoredCopy[] => {
    const { platform } = copy;
    if (copy.accepted === null && !learnt.has(platform) && !restored.has(platform)) return [];
    const known = learnt.get(platform) ?? copy.known;
    const references: Record<string, string> = { ...copy.references };
    for (const [field, id] of Object.entries(restored.get(platform) ?? {})) set(references, field, id);
    let shown: JsonObject | undefined;
    for (const command of open) {
      if (command.platform !== platform || command.platformId === null) continue;
      const connector = connectors.connectorFor({ customerId, platform, mode: command.mode });
      const prediction = connector.predict(writeCommandOf(customerId, command), shown ?? known);
      if (prediction.status === 'applied') shown = prediction.payload;
      for (const [field, id] of Object.entries(command.recording.references)) set(references, field, id);
    }
    return [
      {
        ...copy,
        payload: shown ?? known,
        known,
        payloadText: learnt.has(platform) ? stringifyJson(known) : copy.payloadText,
        accepted: shown === undefined ? null : stringifyJson(shown),
        references,
      },
    ];
  });
  await saveRecords(store, customerId, object, copies);
}

function set(references: Record<string, string>, field: string, id: string | null): void {
  if (id === null) delete references[field];
  else references[field] = id;
}
