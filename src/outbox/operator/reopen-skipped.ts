import { mappingOf, sameJson, valueAt } from '@app/mapper';
import { clashWords } from '../../platforms/clash';
import type { LoadedObject } from '../../records/loaded-object';
import { isOfPresentRecords, skippedWith } from './listed-commands.repository';
import { partedSince } from './parted-since';
import { reopen, rebase } from '../command/stored/commands.repository';
import type { StoredCommand } from '../command/outbox-command';
import { commandsById, openCommands } from '../command/stored/stored-commands.repository';
import { predictedOf } from '../outcome/pending/prediction';
import { ownRecord } from '../outcome/pending/project-pending-writes';
import { fieldsOf, without } from '../outcome/skipped/drop-fields';
import type { Recorder } from '../outcome/recorder';
import { mergeThreeWays } from '../outcome/pending/three-way';

/**
 * Reopens the commands that were skipped because of an earlier command that is reopened itself. They are rebased on the
 * present records; a field whose value has changed since keeps its value. A command stays skipped if it has nothing left to
 * write, if it would create a record with a value that has changed since, if its platform's connection no longer leads to its
 * records, or if these belong to other objects now. The caller reopens the earlier command afterwards, because its time of
 * decision identifies the skipped commands.
 *
 * @returns the reopened commands
 */
export async function reopenSkipped(
  recorder: Recorder,
  object: LoadedObject,
  command: StoredCommand,
): Promise<readonly StoredCommand[]> {
  const { tx } = recorder;
  const others = await commandsById(tx, await skippedWith(tx, command));
  const reopened: StoredCommand[] = [];
  for (const other of others) {
    if (!(await isOfPresentRecords(tx, other))) continue;
    if ((await partedSince(recorder, other)) !== undefined) continue;
    if (other.base === undefined && isOutdated(recorder, object, command, other)) continue;
    const again = await rebasedOnPresent(recorder, object, other);
    if (again === undefined) continue;
    await rebase(tx, again);
    await reopen(tx, other.id, 'waiting', { made: other.made, isAnew: false });
    reopened.push(again);
  }
  return reopened;
}

/**
 * Whether a creation would write values that its object has no more: a value that the record of the leading command had when the
 * change was accepted is another one now. The values of that command itself do not count.
 */
function isOutdated(
  { tx, connectors }: Recorder,
  object: LoadedObject,
  leading: StoredCommand,
  creation: StoredCommand,
): boolean {
  const { platform, mode, entityType, variant, base } = leading;
  const copy = ownRecord(object, leading);
  if (base === undefined || copy === undefined) return false;
  const mapping = mappingOf(platform, entityType, { variant });
  const pathsOf = ({ changes }: StoredCommand) => changes.map(({ path }) => path);
  const own = new Set(mapping.fieldsAt(pathsOf(leading)));
  const created = mappingOf(creation.platform, entityType, { variant: creation.variant });
  const connector = connectors.connectorFor({ customerId: tx.customerId, platform, mode });
  const paths = created
    .fieldsAt(pathsOf(creation))
    .filter((field) => !own.has(field))
    .flatMap((field) => mapping.pathsOf(field));
  return paths.some((path) => {
    const [was, is] = [valueAt(base, path), valueAt(copy.known, path)];
    return !(connector.isSameValue?.(entityType, path, was, is) ?? sameJson(was ?? null, is ?? null));
  });
}

/** The command, planned again for the present record of its platform; undefined if nothing is left to write. */
async function rebasedOnPresent(
  recorder: Recorder,
  object: LoadedObject,
  command: StoredCommand,
): Promise<StoredCommand | undefined> {
  const { platform, mode, platformId, base } = command;
  const copy = object.copies.find((candidate) => candidate.platform === platform);
  if (base === undefined) {
    const open = await openCommands(recorder.tx, object.id);
    const comes = open.some((other) => other.platform === platform && other.base === undefined);
    return copy === undefined && !comes ? { ...command, reason: null } : undefined;
  }
  if (copy === undefined) return undefined;
  if (platformId !== null && copy.platformId !== platformId) return undefined;
  const { tx, connectors } = recorder;
  const connector = connectors.connectorFor({ customerId: tx.customerId, platform, mode });
  const { changes, clashes } = mergeThreeWays(connector, base, copy.known, command);
  if (changes.length === 0 && command.waitsFor.length === 0) return undefined;
  const lost = await fieldsOf(recorder, command, clashes);
  const rest = {
    ...command,
    platformId: copy.platformId,
    changes,
    base: copy.known,
    recording: without(command.recording, lost),
    reason: clashes.length > 0 ? clashWords(clashes) : null,
  };
  return { ...rest, predicted: predictedOf(recorder, rest) };
}
