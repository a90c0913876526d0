import {
  mappingOf,
  type JsonPath,
  type OwnFields,
  type PlatformName,
  type StoredEntityType,
} from '@app/mapper';

/** The record that native paths are of. */
interface NamedRecord {
  readonly platform: PlatformName;
  readonly entityType: StoredEntityType;
  readonly variant: string | null;
}

/**
 * The customer's own fields, if native paths may be of one. They are read only where a path belongs to no built-in field, so
 * most outcomes cost no further statement.
 */
export async function ownFieldsAt(
  { ownFields }: { readonly ownFields: () => Promise<OwnFields | undefined> },
  { platform, entityType, variant }: NamedRecord,
  paths: readonly JsonPath[],
): Promise<OwnFields | undefined> {
  const mapping = mappingOf(platform, entityType, { variant });
  const areBuiltIn = paths.every((path) => mapping.fieldsAt([path]).length > 0);
  return areBuiltIn ? undefined : ownFields();
}
