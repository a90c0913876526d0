import { fieldsOf, inOrderOf, mappingOf, platformNames, precedenceOf, type PlatformName } from '@app/mapper';
import type { CurrentObjectState } from './change-context';
import type { CopyState } from './copy-state';
import { notWritable } from './refusal';

/** What says whose value counts. */
type AuthorityInput = Pick<CurrentObjectState, 'entityType' | 'copies' | 'terms'>;

/**
 * Refuses a field that the platform whose value counts would not take: its value would stay, and the change would be
 * lost on the next read. Where no record of the object has the field, some platform must be able to hold it.
 *
 * @throws ChangeRefused `not_writable`, naming the field
 */
export function refuseUnwritable(
  state: AuthorityInput,
  field: string,
  pathOf: (field: string) => string,
): void {
  const authority = authorityOn(field, state);
  if (authority !== undefined) {
    const access = authority.mapping.accessTo(field);
    if (access === 'write' || access === 'lines') return;
    const why = access === 'create' ? 'fixes it when the record is created' : 'lets nobody write it';
    throw notWritable(pathOf(field), `${authority.platform} ${why}`);
  }
  const holders = platformNames.filter((platform) => {
    const access = mappingOf(platform, state.entityType).accessTo(field);
    return access !== undefined && access !== 'read';
  });
  if (holders.length === 0) throw notWritable(pathOf(field), 'no platform lets anybody write it');
}

/** The record whose value of a field is the canonical one; undefined where none has the field. */
export function authorityOn(
  field: string,
  { entityType, copies, terms }: AuthorityInput,
): CopyState | undefined {
  return inOrderOf(copies, terms.precedence, entityType, field).find(
    ({ mapping }) => mapping.accessTo(field) !== undefined,
  );
}

/**
 * The platform that a change is written to first: the one it was made for, else the one whose value counts as agreed with
 * the customer, for an amount before any other field; undefined where the default order holds.
 *
 * @param fields that the change names
 */
export function leadingPlatform(
  state: AuthorityInput & Pick<CurrentObjectState, 'origin'>,
  fields: readonly string[],
): PlatformName | undefined {
  const { origin, entityType, terms } = state;
  if (origin !== undefined) return origin.platform;
  const agreed = fields.filter((field) => precedenceOf(terms.precedence, entityType, field) !== undefined);
  const leading = agreed.find((field) => fieldsOf(entityType)[field]?.money) ?? agreed[0];
  return leading === undefined ? undefined : authorityOn(leading, state)?.platform;
}
