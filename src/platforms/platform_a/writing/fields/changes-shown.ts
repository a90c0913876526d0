import { valueAt, type JsonObject, type NativeChange } from '@app/mapper';
import type { WriteCommand } from '../../../connector';
import { nativeResource } from '../../wire/resources';
import type { Session } from '../../wire/session';
import { openChanges } from './values';

/** A command and the settings of its connection. */
interface CommandAndSettings {
  readonly session: { readonly settings: Pick<Session['settings'], 'currency'> };
  readonly command: Pick<WriteCommand, 'entityType' | 'changes'>;
}

/** Returns the changes of a command that a record does not show yet. */
export function changesNotShown(
  work: CommandAndSettings,
  record: JsonObject,
  changes: readonly NativeChange[],
): readonly NativeChange[] {
  return openChanges(work.command.entityType, changes, record).filter(
    (change) => !isCurrencyOfAll(work, record, change),
  );
}

/**
 * Returns the changes that the record shows now and did not show when the change was planned. An earlier attempt has
 * most likely made them.
 *
 * @param before the record that the change was planned for; if it is undefined, the result is empty
 */
export function changesShownSince(
  work: CommandAndSettings,
  before: JsonObject | undefined,
  open: readonly NativeChange[],
): readonly NativeChange[] {
  if (before === undefined) return [];
  return changesNotShown(
    work,
    before,
    work.command.changes.filter((change) => !open.includes(change)),
  );
}

/** What a company with a single currency does not show, because all its records have that one. */
function isCurrencyOfAll(
  { session, command }: CommandAndSettings,
  record: JsonObject,
  { path, value }: NativeChange,
): boolean {
  const field = nativeResource(command.entityType).fields.get(path.join('.'));
  if (field?.echo !== 'multi_currency') return false;
  const shown = valueAt(record, path) ?? null;
  return shown === null && (session.settings.currency === undefined || session.settings.currency === value);
}
