import {
  entityTypes,
  platformNames,
  variantsOf,
  type EntityType,
  type JsonObject,
  type PlatformName,
} from '@app/mapper';

/** A reference to one of the document's named schemas. */
export type SchemaReference = { readonly $ref: string };

/** A reference to a named schema. */
export function schema(name: string): SchemaReference {
  return { $ref: `#/components/schemas/${name}` };
}

/** One of several named schemas, by the value that a member has in each. @param choices value and name of the schema */
export function unionSchema(
  description: string,
  propertyName: string,
  choices: readonly (readonly [value: string, name: string])[],
): JsonObject {
  return {
    description,
    oneOf: choices.map(([, name]) => schema(name)),
    discriminator: {
      propertyName,
      mapping: Object.fromEntries(choices.map(([value, name]) => [value, schema(name).$ref])),
    },
  };
}

/** The schema of a value that may be any JSON. */
export const anyValue = {
  anyOf: [
    { type: 'string' },
    { type: 'number' },
    { type: 'boolean' },
    { type: 'object', additionalProperties: true },
    { type: 'array', items: {} },
    { type: 'null' },
  ],
};

/** Name of the schema of a canonical type: `TimeEntry`. */
export function canonicalSchemaName(entityType: EntityType): string {
  return pascalCase(entityType);
}

/** A schema of one of a platform's payloads. */
export interface PayloadSchemaName {
  readonly name: string;
  readonly platform: PlatformName;
  readonly entityType: EntityType;
  readonly variant: string | undefined;
}

/** The payloads a platform knows a type by: one, or one for each variant. */
export function payloadSchemaNames(
  platform: PlatformName,
  entityType: EntityType,
): readonly PayloadSchemaName[] {
  const variants = Object.keys(variantsOf(platform, entityType)?.variants ?? {});
  if (variants.length === 0) {
    const name = `${pascalCase(platform)}${pascalCase(entityType)}`;
    return [{ name, platform, entityType, variant: undefined }];
  }
  return variants.map((variant) => ({
    name: `${pascalCase(platform)}${variant}`,
    platform,
    entityType,
    variant,
  }));
}

/** All payloads of these types, on every platform. */
export function payloadSchemaNamesOf(
  types: readonly EntityType[] = entityTypes,
): readonly PayloadSchemaName[] {
  return platformNames.flatMap((platform) =>
    types.flatMap((entityType) => payloadSchemaNames(platform, entityType)),
  );
}

/** A name of a schema from words of the API: `only_on` becomes `OnlyOn`. */
export function pascalCase(name: string): string {
  return name.replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
