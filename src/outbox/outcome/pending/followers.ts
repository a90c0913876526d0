import {
  mappingOf,
  sameJson,
  valueAt,
  withValuesAt,
  type JsonObject,
  type JsonPath,
  type NativeChange,
} from '@app/mapper';
import type { Applied } from '../../../platforms/connector';
import { changesComing, type StoredCommand } from '../../command/outbox-command';
import { rebase } from '../../command/stored/commands.repository';
import { openBehind, openCommands } from '../../command/stored/stored-commands.repository';
import type { Recorder } from '../recorder';
import { predictedOf } from './prediction';

/**
 * Adapts the later commands for a record to the outcome of an earlier one. They were planned for the record as the
 * earlier command was expected to leave it. If no other user changed their fields, they are rebased on the present
 * record, version included. Otherwise they keep the planned base value, so that the conflict is detected. Earlier
 * commands, which an operator reopened or which wait longer, were planned without this one and stay unchanged.
 *
 * @param current the platform's present record, as far as it is known
 * @param taken the outcome of the command's changes; none of them was made if the command was not applied
 */
export async function informFollowers(
  recorder: Recorder,
  command: StoredCommand,
  current: JsonObject,
  taken: 'none' | Pick<Applied, 'replaced' | 'refused'>,
): Promise<void> {
  const { tx } = recorder;
  const behind = await openBehind(tx, command);
  const paths = command.changes.map(({ path }) => path);
  const unmade = command.base ?? current;
  // Later commands do not know about changes that another user has overwritten.
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
    await rebase(tx, { ...rest, predicted: predictedOf(recorder, rest) });
  }
}

/**
 * Gives the ID of a created record to the commands that waited for it, and rebases each on the present record and the
 * commands before it. It does nothing if the record has another currency than planned, because amounts were converted
 * for the planned one.
 *
 * @returns whether there were such commands
 */
export async function adoptFollowers(
  recorder: Recorder,
  creation: StoredCommand,
  platformId: string,
  created: JsonObject,
): Promise<boolean> {
  const { tx } = recorder;
  const open = await openCommands(tx, creation.canonicalId);
  if (currencyOf(creation, created) !== currencyOf(creation, creation.predicted)) return false;
  const behind = open.filter((other) => other.platform === creation.platform && changesComing(other));
  let base = created;
  for (const other of behind) {
    const rest = { ...other, platformId, base };
    base = predictedOf(recorder, rest);
    await rebase(tx, { ...rest, predicted: base });
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
