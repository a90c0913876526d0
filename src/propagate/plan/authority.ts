import { mappingOf, platformNames, type StoredEntityType } from '@app/mapper';
import type { CopyState } from './copy-state';
import { notWritable } from './refusal';

/**
 * Refuses a field that the platform whose value counts would not take: its value would stay, and the change would be
 * lost on the next read. Where no record of the object has the field, some platform must be able to hold it.
 *
 * @throws ChangeRefused `not_writable`, naming the field
 */
export function refuseUnwritable(
  entityType: StoredEntityType,
  field: string,
  copies: readonly CopyState[],
  pathOf: (field: string) => string,
): void {
  const authority = authorityOn(field, copies);
  if (authority !== undefined) {
    const access = authority.mapping.accessTo(field);
    if (access === 'write' || access === 'lines') return;
    const why = access === 'create' ? 'fixes it when the record is created' : 'lets nobody write it';
    throw notWritable(pathOf(field), `${authority.platform} ${why}`);
  }
  const holders = platformNames.filter((platform) => {
    const access = mappingOf(platform, entityType).accessTo(field);
    return access !== undefined && access !== 'read';
  });
  if (holders.length === 0) throw notWritable(pathOf(field), 'no platform lets anybody write it');
}

/** The record whose value of a field is the canonical one; undefined where none has the field. */
export function authorityOn(field: string, copies: readonly CopyState[]): CopyState | undefined {
  return copies.find(({ mapping }) => mapping.accessTo(field) !== undefined);
}
