import { valueAt, type JsonObject, type NativeChange } from '@app/mapper';
import type { WriteCommand } from '../../connector';
import type { Session } from '../wire/session';
import { openChanges } from './values';

/** A command, and what a connection's settings say of its records. */
interface CommandAndSettings {
  readonly session: { readonly settings: Pick<Session['settings'], 'currency'> };
  readonly command: Pick<WriteCommand, 'entityType' | 'changes'>;
}

/** The changes of a command that a record does not show yet. */
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
 * The changes that are not open any more, and were so in the record that they were made for: an attempt before has made
 * them, as far as anybody can see.
 *
 * @param before where it is not known, nothing is said
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

/** A contract of a company that has one currency shows none, nor do its invoices. */
function isCurrencyOfAll(
  { session, command }: CommandAndSettings,
  record: JsonObject,
  { path, value }: NativeChange,
): boolean {
  if (path.join('.') !== 'currency_configuration.currency_iso_code') return false;
  if (command.entityType !== 'contract' && command.entityType !== 'invoice') return false;
  const shown = valueAt(record, path) ?? null;
  return shown === null && (session.settings.currency === undefined || session.settings.currency === value);
}
