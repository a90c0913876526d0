import { fieldsOf, inOrderOf, mappingOf, platformNames, precedenceOf, type PlatformName } from '@app/mapper';
import type { CurrentObjectState } from '../context/change-context';
import type { CopyState } from '../state/copy-state';

/** The inputs that determine the leading platform of a field. */
type AuthorityInput = Pick<CurrentObjectState, 'entityType' | 'copies' | 'terms'>;

/**
 * Why a field cannot be changed; undefined if it can. Its leading platform has to accept it: otherwise that platform's
 * value would stay, and the next read would undo the change. If no record of the object has the field, at least one
 * platform must support it.
 */
export function whyUnwritable(state: AuthorityInput, field: string): string | undefined {
  const authority = authorityOn(field, state);
  if (authority !== undefined) {
    const access = authority.mapping.accessTo(field);
    if (access === 'write' || access === 'lines') return undefined;
    const why = access === 'create' ? 'fixes it when the record is created' : 'lets nobody write it';
    return `${authority.platform} ${why}`;
  }
  const isHeld = platformNames.some((platform) => {
    const access = mappingOf(platform, state.entityType, { own: state.terms.own }).accessTo(field);
    return access !== undefined && access !== 'read';
  });
  return isHeld ? undefined : 'no platform takes a value for it';
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
