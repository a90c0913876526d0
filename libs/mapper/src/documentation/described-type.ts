import { inOrderOf, type Precedence } from '../canonical-object/terms';
import { isStoredEntityType, type EntityType } from '../canonical/entity-type';
import { canBeNull, type FieldType, type FieldUnit } from '../canonical/field';
import type { OwnFields } from '../canonical/own-fields';
import { fieldListOf, type NamedField } from '../canonical/types';
import { phraseOfPlace, type FieldDescription } from '../mapping/describing/description';
import type { Mapping } from '../mapping/mapping';
import { mappingOf, platformNames, variantsOf, type PlatformName } from '../platforms';

/** A native field of a canonical one, and what is there. */
export interface DescribedPath {
  readonly path: string;
  /** What the value looks like on the wire. */
  readonly holds: string;
}

/** A canonical field on one resource of a platform. Reasons are clauses with the field as their subject. */
export interface DescribedAccess {
  readonly platform: PlatformName;
  /** The kind of record, where the platform has several for the type; else null. */
  readonly variant: string | null;
  /** From the record inwards, the best first; none where all records of the resource have the same value. */
  readonly paths: readonly DescribedPath[];
  /** Whether a new record can be given a value. */
  readonly when_creating: boolean;
  /** Whether an existing record can be given another value. */
  readonly when_changing: boolean;
  /** Why it is not written at one of these times, or on which condition it is; null where it is written at both. */
  readonly why: string | null;
}

/** A canonical field: its values, whose value counts, and where each platform has it. */
export interface DescribedField {
  readonly name: string;
  readonly description: string;
  readonly type: FieldType;
  /** A format of JSON Schema for the values; null where there is none. */
  readonly format: string | null;
  readonly unit: FieldUnit | null;
  /** What a value looks like, as errors say it. */
  readonly expects: string;
  /** The words of a closed set; null for other types. */
  readonly words: readonly string[] | null;
  /** The type that a reference names; null for other fields. */
  readonly refers_to: EntityType | null;
  /** Whether a change may set it to null. */
  readonly can_be_null: boolean;
  /** The platforms that have the field, the one whose value counts first; null where each platform keeps its own. */
  readonly counts: readonly PlatformName[] | null;
  /** Where the platforms have it; a platform without the field is absent. */
  readonly on: readonly DescribedAccess[];
}

/** A resource of a platform that holds records of a type. */
export interface DescribedResource {
  readonly platform: PlatformName;
  readonly variant: string | null;
  /** As the platform names it. */
  readonly resource: string;
  /** Canonical fields that a new record must have a value for. */
  readonly required_to_create: readonly string[];
}

/** A canonical type, as one customer may read and write it. */
export interface DescribedType {
  readonly entity_type: EntityType;
  /** Whether objects of the type are stored and can be changed; the others are translated only. */
  readonly stored: boolean;
  readonly resources: readonly DescribedResource[];
  readonly fields: readonly DescribedField[];
}

/** What a description depends on beside the mappings. */
export interface DescriptionContext {
  readonly precedence: Precedence;
  /** The fields that the customer has added. */
  readonly own?: OwnFields | undefined;
  /** Platforms whose records are in a sandbox, which takes some changes that the platform itself refuses. */
  readonly sandboxes: ReadonlySet<PlatformName>;
}

/** A mapping, and the platform and variant that it is of. */
interface MappedResource {
  readonly platform: PlatformName;
  readonly variant: string | null;
  readonly mapping: Mapping;
}

/** Describes a type from the field definitions and the mappings, which translate its records as well. */
export function describeType(entityType: EntityType, context: DescriptionContext): DescribedType {
  const mapped = platformNames.flatMap((platform) => mappedResources(platform, entityType, context.own));
  return {
    entity_type: entityType,
    stored: isStoredEntityType(entityType),
    resources: mapped.map(({ platform, variant, mapping }) => ({
      platform,
      variant,
      resource: mapping.resource.name,
      required_to_create: mapping.requiredToCreate,
    })),
    fields: fieldListOf(entityType, context.own).map((field) =>
      describeField(entityType, field, mapped, context),
    ),
  };
}

function mappedResources(
  platform: PlatformName,
  entityType: EntityType,
  own: OwnFields | undefined,
): readonly MappedResource[] {
  const variants = variantsOf(platform, entityType);
  const names = variants === undefined ? [null] : Object.keys(variants.variants);
  return names.map((variant) => ({
    platform,
    variant,
    mapping: mappingOf(platform, entityType, { variant, own }),
  }));
}

function describeField(
  entityType: EntityType,
  field: NamedField,
  mapped: readonly MappedResource[],
  context: DescriptionContext,
): DescribedField {
  const on = mapped.flatMap((resource) => accessOn(resource, field, context));
  const having = platformNames
    .filter((platform) => on.some((access) => access.platform === platform))
    .map((platform) => ({ platform }));
  const inOrder = inOrderOf(having, context.precedence, entityType, field.name);
  return {
    name: field.name,
    description: field.description,
    type: field.type,
    format: field.schema.format ?? null,
    unit: field.unit ?? null,
    expects: field.expects,
    words: field.values ?? null,
    refers_to: field.refersTo ?? null,
    can_be_null: canBeNull(field),
    counts: field.ownToPlatform ? null : inOrder.map(({ platform }) => platform),
    on,
  };
}

function accessOn(
  { platform, variant, mapping }: MappedResource,
  field: NamedField,
  { sandboxes }: DescriptionContext,
): readonly DescribedAccess[] {
  const description = mapping.descriptionOf(field.name);
  if (description === undefined) return [];
  const notCreated = mapping.whyNotCreated(field.name);
  const notChanged = mapping.whyNotChanged(field.name, !sandboxes.has(platform));
  const why = notChanged ?? notCreated ?? (mapping.accessTo(field.name) === 'lines' ? THROUGH_LINES : null);
  return [
    {
      platform,
      variant,
      paths: description.places.map((place) => ({ path: place.path, holds: phraseOfPlace(place) })),
      when_creating: notCreated === undefined,
      when_changing: notChanged === undefined,
      why: why === '' ? reasonWithout(field, description) : why,
    },
  ];
}

const THROUGH_LINES =
  'is the sum of lines; a change goes through the only line, and is refused where there are several';

// The native field may be writable, and the canonical one is not; or there is no native field.
function reasonWithout(field: NamedField, { constant, members, access }: FieldDescription): string {
  if (constant !== undefined)
    return `is ${typeof constant === 'string' ? constant : JSON.stringify(constant)} for every record of the resource`;
  if (members !== undefined) return 'holds lines, which are changed on their platform';
  if (field.ownToPlatform) return 'is what each platform keeps for itself';
  return access === 'create' ? 'is fixed when the record is created' : 'is read only';
}
