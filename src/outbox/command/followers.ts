import {
  mappingOf,
  sameJson,
  valueAt,
  withValuesAt,
  type JsonObject,
  type JsonPath,
  type NativeChange,
} from '@app/mapper';
import type { Applied } from '../../platforms/connector';
import { changesComing, type StoredCommand } from './outbox-command';
import { rebase } from './outbox.repository';
import { openBehind, openCommands } from './stored-commands.repository';
import type { Recorder } from '../outcome/recorder';
import { predictedOf } from './prediction';

/**
 * Tells the commands behind one for the same record what became of it: they were planned for the record as that one was
 * expected to make it. Where nobody else changed what they change, they are for the record as it is now, version
 * included; where somebody did, they keep the value they were planned for, so that the conflict is seen. One before it, which
 * an operator has taken up again or which waits longer, was planned for the record without it, and stays so.
 *
 * @param current the record as the platform holds it now, as far as that is known
 * @param taken what became of the command's changes; none of them was made where it was not applied
 */
export async function informFollowers(
  recorder: Recorder,
  command: StoredCommand,
  current: JsonObject,
  taken: 'none' | Pick<Applied, 'replaced' | 'refused'>,
): Promise<void> {
  const { store, customerId } = recorder;
  const behind = await openBehind(store, customerId, command);
  const paths = command.changes.map(({ path }) => path);
  const unmade = command.base ?? current;
  // Nobody who comes behind knows of what somebody else has written over.
  const source =
    taken === 'none'
      ? unmade
      : withValuesAt(current, [
          ...(taken.replaced ?? []),
          ...valuesAt(
            unmade,
            (taken.refused?.changes ?? []).map(({ path }) => path),
          ),
        ]);
  for (const other of behind) {
    const isOfRecord = other.platform === command.platform && other.platformId === command.platformId;
    if (!isOfRecord || other.status !== 'waiting' || other.base === undefined) continue;
    const base = withValuesAt(other.base, valuesAt(source, paths));
    const isUntouched = other.changes.every(({ path }) =>
      sameJson(valueAt(base, path), valueAt(current, path)),
    );
    const rest = { ...other, base: isUntouched ? current : base };
    await rebase(store, customerId, { ...rest, predicted: predictedOf(recorder, rest) });
  }
}

/**
 * Tells the commands that waited for the creation of a record which one it is. They are made for the record as it is now,
 * one upon the other. Not where it was created in another currency than planned: amounts were converted for the planned one.
 *
 * @returns whether there were any
 */
export async function adoptFollowers(
  recorder: Recorder,
  creation: StoredCommand,
  platformId: string,
  created: JsonObject,
): Promise<boolean> {
  const { store, customerId } = recorder;
  const open = await openCommands(store, customerId, creation.canonicalId);
  if (currencyOf(creation, created) !== currencyOf(creation, creation.predicted)) return false;
  const behind = open.filter((other) => other.platform === creation.platform && changesComing(other));
  let base = created;
  for (const other of behind) {
    const rest = { ...other, platformId, base };
    base = predictedOf(recorder, rest);
    await rebase(store, customerId, { ...rest, predicted: base });
  }
  return behind.length > 0;
}

function currencyOf(
  { platform, entityType, variant, recording }: StoredCommand,
  record: JsonObject,
): string | undefined {
  return mappingOf(platform, entityType, { variant }).decode(record, recording.currencies).currency;
}

function valuesAt(record: JsonObject, paths: readonly JsonPath[]): readonly NativeChange[] {
  return paths.flatMap((path): NativeChange[] => {
    const value = valueAt(record, path);
    return value === undefined ? [] : [{ path, value }];
  });
}
