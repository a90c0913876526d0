/** The permissions of keys, in the order in which listings show them. */
export const PERMISSIONS = ['read', 'write', 'decide', 'administer', 'passthrough'] as const;

/**
 * - `read`: read everything of the customer, and translate records without storing them.
 * - `write`: connect platforms and change records on them.
 * - `decide`: decide which records are the same, review cases, sign statements, and withdraw these.
 * - `administer`: change the customer's terms (rates, precedence, rules, own fields), manage its webhook endpoints, and
 *   retry or discard writes that wait or are held. Records are sent to an endpoint, so a key registers, changes or
 *   resends only if it has `read` as well.
 * - `passthrough`: send the caller's own requests to a platform.
 */
export type Permission = (typeof PERMISSIONS)[number];

/**
 * The permissions of a key that was issued without a choice, whatever its mode. The default of the column in the
 * migrations is the same.
 */
export const DEFAULT_PERMISSIONS: readonly Permission[] = ['read', 'write', 'decide', 'administer'];

/** The named permissions, each once and in the order of {@link PERMISSIONS}. */
export function permissionsAmong(names: readonly string[]): readonly Permission[] {
  return PERMISSIONS.filter((permission) => names.includes(permission));
}
