import { fieldsOf, inOrderOf, mappingOf, platformNames, precedenceOf, type PlatformName } from '@app/mapper';
import type { CurrentObjectState } from '../context/change-context';
import type { CopyState } from '../state/copy-state';
import { notWritable } from '../refusal';

/** The inputs that determine the leading platform of a field. */
type AuthorityInput = Pick<CurrentObjectState, 'entityType' | 'copies' | 'terms'>;

/**
 * Refuses a field that its leading platform would not accept: that platform's value would stay, and the next read would
 * undo the change. If no record of the object has the field, at least one platform must support it.
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
    const access = mappingOf(platform, state.entityType, { own: state.terms.own }).accessTo(field);
    return access !== undefined && access !== 'read';
  });
  if (holders.length === 0) throw notWritable(pathOf(field), 'no platform takes a value for it');
}

/** The record with the canonical value of a field; undefined if no record has the field. */
export function authorityOn(
  field: string,
  { entityType, copies, terms }: AuthorityInput,
): CopyState | undefined {
  return inOrderOf(copies, terms.precedence, entityType, field).find(
    ({ mapping }) => mapping.accessTo(field) !== undefined,
  );
}

/**
 * The platform to which a change is written first: the platform that the change names, otherwise the platform with the
 * agreed precedence, of an amount before any other field; undefined if the default order applies.
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
  const leading = agreed.find((field) => fieldsOf(entityType, terms.own)[field]?.money) ?? agreed[0];
  return leading === undefined ? undefined : authorityOn(leading, state)?.platform;
}
