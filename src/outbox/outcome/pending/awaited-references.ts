import { mappingOf, type JsonObject, type NativeChange, type TargetReference } from '@app/mapper';
import { nativeReference } from '../../../records/objects/native-reference';
import { loadObjects } from '../../../records/objects/stored-objects.repository';
import type { LoadedObject } from '../../../records/loaded-object';
import { fieldName } from '../../command/partial/partial-progress';
import type { StoredCommand } from '../../command/outbox-command';
import { saveResolved } from '../../command/stored/commands.repository';
import { commandsById, lockOwn } from '../../command/stored/stored-commands.repository';
import { predictionOf } from './prediction';
import type { Recorder } from '../recorder';

/** Whether a command that waited for creations may be sent now. */
export type CommandReadiness =
  | { readonly status: 'ready'; readonly command: StoredCommand }
  | { readonly status: 'skipped'; readonly reason: string }
  | { readonly status: 'lost' };

/**
 * Sets the platform's IDs of created records in a command, in the caller's transaction. They are stored before the
 * command is sent, so that any instance that settles it knows what was sent.
 */
export async function withAwaited(
  recorder: Recorder,
  { id }: Pick<StoredCommand, 'id'>,
  owner: string,
): Promise<CommandReadiness> {
  const { tx } = recorder;
  const command = await lockOwn(tx, id, owner);
  if (command === undefined) return { status: 'lost' };
  const { platform, entityType, variant, recording } = command;
  const { awaits = {}, ...rest } = recording;
  const parents = await commandsById(tx, command.waitsFor);
  const failed = parents.find(({ status }) => status !== 'applied' && status !== 'unchanged');
  if (failed !== undefined) {
    return { status: 'skipped', reason: `${nameOf(failed)} was not created on ${platform}` };
  }
  const objects = await loadObjects(tx, [...new Set(Object.values(awaits))]);
  const references: Record<string, TargetReference> = {};
  const referred: Record<string, JsonObject> = { ...command.referred };
  for (const [field, canonicalId] of Object.entries(awaits)) {
    const object = objects.find(({ id: one }) => one === canonicalId);
    const reference = nativeReference(platform, object);
    const copy = object?.copies.find((candidate) => candidate.platform === platform);
    if (object === undefined || reference === undefined || copy === undefined) {
      return { status: 'skipped', reason: `${platform} has no record of what ${field} names any more` };
    }
    const planned = parents.find((parent) => parent.canonicalId === object.id);
    const otherwise = planned && otherCurrency(planned, object);
    if (planned !== undefined && otherwise !== undefined) {
      return { status: 'skipped', reason: `${nameOf(planned)} was created in ${otherwise} on ${platform}` };
    }
    references[field] = reference;
    referred[field] = copy.payload;
  }
  const { changes, issues } = mappingOf(platform, entityType, { variant }).changesOf(
    Object.keys(references),
    {},
    {
      references,
      currency: recording.currencies.inheritedCurrency,
      localCurrency: recording.currencies.localCurrency,
    },
  );
  const [issue] = issues;
  if (issue !== undefined)
    return { status: 'skipped', reason: `${issue.path}: ${issue.problem} (on ${platform})` };
  const whole = {
    ...command,
    changes: joined(command.changes, changes),
    referred,
    recording: rest,
    waitsFor: [],
  };
  const completed = { ...whole, ...predictionOf(recorder, whole) };
  await saveResolved(tx, completed);
  return { status: 'ready', command: completed };
}

/** The name of a record under creation, for people. */
export function nameOf({
  entityType,
  canonicalId,
}: Pick<StoredCommand, 'entityType' | 'canonicalId'>): string {
  return `the ${entityType} ${canonicalId}`;
}

// A planned value keeps its position. The reference replaces it.
function joined(planned: readonly NativeChange[], found: readonly NativeChange[]): readonly NativeChange[] {
  const names = new Set(found.map(fieldName));
  return [...planned.filter((change) => !names.has(fieldName(change))), ...found];
}

/** The actual currency of a created record, if it differs from the planned one for which amounts were converted. */
function otherCurrency(planned: StoredCommand, created: LoadedObject): string | undefined {
  const copy = created.copies.find(({ platform }) => platform === planned.platform);
  if (copy === undefined) return undefined;
  const mapping = mappingOf(planned.platform, planned.entityType, { variant: planned.variant });
  const { currency } = mapping.decode(copy.payload, copy);
  const expected = mapping.decode(planned.predicted, planned.recording.currencies).currency;
  return currency === expected ? undefined : currency;
}
