import {
  mappingOf,
  type JsonPath,
  type OwnFields,
  type PlatformName,
  type StoredEntityType,
} from '@app/mapper';

/** The platform and type of the record to which native paths belong. */
interface NamedRecord {
  readonly platform: PlatformName;
  readonly entityType: StoredEntityType;
  readonly variant: string | null;
}

/**
 * The customer's own fields, if one of the native paths may belong to such a field. They are read only if a path belongs
 * to no built-in field, so most outcomes need no further statement.
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
