import { isJsonArray, isJsonObject, ownMember, valueAt, type JsonObject, type JsonValue } from '@app/mapper';
import { behaviourOf } from '@app/behaviour';
import type { WriteCommand } from '../../../connector';
import { nativeResource } from '../../wire/resources';
import { placeOf } from '../fields/fields';
import { sameValue, wantedOf } from '../fields/values';

/**
 * Why the platform will refuse a write, as far as it is known in advance; undefined when nothing is known. Pure.
 *
 * @param current the record as it is now; undefined for one to be created
 */
export function knownRefusal(command: WriteCommand, current: JsonObject | undefined): string | undefined {
  const { entityType, changes } = command;
  const isNew = current === undefined;
  const effective = changes.filter(
    ({ path, value }) => isNew || !sameValue(entityType, path, valueAt(current, path), value),
  );
  if (effective.length === 0 && !isNew) return undefined;
  const fixed = effective.find((change) => placeOf(entityType, change, isNew).kind === 'unwritable');
  if (fixed !== undefined) return `${command.platform} does not let ${fixed.path.join('.')} be written`;
  return (
    locked(command, current, effective) ?? unnamed(command, current) ?? unfit(command, current, effective)
  );
}

function locked(
  { platform, entityType, variant, referred }: WriteCommand,
  current: JsonObject | undefined,
  changes: WriteCommand['changes'],
): string | undefined {
  return behaviourOf(platform).lockOn?.({ entityType, variant, current, changes, referred });
}

/** The words of the lock on a record, whatever is to be written. */
export function lockWords(command: WriteCommand, current: JsonObject | undefined): string | undefined {
  return locked(command, current, command.changes);
}

function unnamed(command: WriteCommand, current: JsonObject | undefined): string | undefined {
  const { entityType } = command;
  if (!nativeResource(entityType).requiredToCreate.includes('name')) return undefined;
  const name = wantedOf(command, 'name') ?? (current && ownMember(current, 'name'));
  return typeof name === 'string' && name.trim() !== '' ? undefined : "name can't be blank";
}

function unfit(
  command: WriteCommand,
  current: JsonObject | undefined,
  effective: WriteCommand['changes'],
): string | undefined {
  const { entityType, referred } = command;
  const { total, lines: list = '' } = nativeResource(entityType);
  const changes = (name: string | undefined): boolean =>
    effective.some(({ path }) => path.join('.') === name);
  if (entityType === 'contract') {
    // A vendor of which only the project's ID is known is a vendor too.
    const shown =
      current && (valueAt(current, ['vendor', 'id']) ?? valueAt(current, ['vendor', 'project_vendor_id']));
    const vendor = changes('vendor.id') ? wantedOf(command, 'vendor.id') : shown;
    const status = wantedOrShown(command, current, ['status']);
    const isTouched = changes('vendor.id') || changes('status');
    if (isTouched && isBlank(vendor) && typeof status === 'string' && status !== 'Draft') {
      return "vendor_id must be selected when the contract's status is not draft";
    }
    const lines = countAt(current, list) ?? 0;
    if (changes(total) && lines > 1) {
      return `${total} is the sum of ${lines} lines; change those there`;
    }
  }
  if (entityType === 'invoice' && changes(total)) {
    const items =
      countAt(current, list) ?? countAt(referred['contract_id'], nativeResource('contract').lines ?? '');
    if (items !== undefined && items !== 1) {
      return `${total} follows from ${items} items; change those there`;
    }
  }
  return undefined;
}

function wantedOrShown(
  command: WriteCommand,
  current: JsonObject | undefined,
  path: readonly string[],
): JsonValue | undefined {
  const value = wantedOf(command, path.join('.'));
  return value === undefined && current !== undefined ? valueAt(current, path) : value;
}

function countAt(record: JsonObject | undefined, member: string): number | undefined {
  const list = record && ownMember(record, member);
  return isJsonArray(list) ? list.filter(isJsonObject).length : undefined;
}

function isBlank(value: JsonValue | undefined): boolean {
  return value === undefined || value === null || value === '';
}
