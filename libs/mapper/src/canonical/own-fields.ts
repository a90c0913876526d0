import { isJsonObject, ownMember, setMember, type JsonObject, type JsonValue } from '../json/json-value';
import type { EntityType } from './entity-type';
import { date, decimal, money, oneOf, text, truth, type Field, type Fields } from './field';

/** What the values of an own field are, beside one of a list of words. */
export const ownCodecNames = ['text', 'decimal', 'money', 'date', 'boolean'] as const;

/**
 * The codec of an own field. For `one_of`, the values of the list are spelt the same in canonical form and on every
 * platform.
 */
export type OwnCodec = (typeof ownCodecNames)[number] | { readonly one_of: readonly string[] };

/** Where a platform has an own field. */
export interface OwnPlace {
  /** Native path, members joined by points. */
  readonly path: string;
  /** Whether changes are written there, as far as the platform takes them. */
  readonly writable: boolean;
}

/** A canonical field that a customer adds to a type. Definitions are data, and stand beside the built-in tables. */
export interface OwnFieldDefinition {
  readonly entityType: EntityType;
  /** Without the prefix `custom.`. */
  readonly name: string;
  readonly codec: OwnCodec;
  readonly label?: string;
  /** By the platform's name. */
  readonly platforms: Readonly<Record<string, OwnPlace>>;
}

/** Member of canonical objects that holds the values of own fields. No built-in field has this name. */
export const CUSTOM = 'custom';

const PREFIX = `${CUSTOM}.`;

/** The name under which an own field stands among the canonical fields of its type. */
export function ownFieldName(name: string): string {
  return `${PREFIX}${name}`;
}

/** Whether a canonical field is a customer's own. */
export function isOwnFieldName(field: string): boolean {
  return field.startsWith(PREFIX);
}

/** The own fields of one customer. Two that are made of equal definitions behave alike. */
export class OwnFields {
  private readonly byType = new Map<EntityType, OwnFieldDefinition[]>();

  /** @param definitions each name of a type once, as `problemsOfDefinition` and `problemsOfPaths` have allowed them */
  constructor(readonly definitions: readonly OwnFieldDefinition[]) {
    for (const definition of definitions) {
      const own = this.byType.get(definition.entityType);
      if (own === undefined) this.byType.set(definition.entityType, [definition]);
      else own.push(definition);
    }
  }

  /** The own fields of a type, in their order. */
  of(entityType: EntityType): readonly OwnFieldDefinition[] {
    return this.byType.get(entityType) ?? [];
  }
}

/** The canonical field that a definition adds. */
function fieldOfDefinition({ name, label, codec }: OwnFieldDefinition): Field<unknown> {
  const description = label ?? `The customer’s own field ${name}.`;
  if (typeof codec === 'object') return oneOf(description, codec.one_of);
  switch (codec) {
    case 'text':
      return text(description);
    case 'decimal':
      return decimal(description);
    case 'money':
      return money(description);
    case 'date':
      return date(description);
    case 'boolean':
      return truth(description);
  }
}

/** The canonical fields that the definitions of a type add, by their prefixed names. */
export function fieldsOfDefinitions(definitions: readonly OwnFieldDefinition[]): Fields {
  return Object.fromEntries(
    definitions.map((definition) => [ownFieldName(definition.name), fieldOfDefinition(definition)]),
  );
}

/**
 * Sets a canonical field of an object in its public form: an own field inside `custom`, any other field in the object
 * itself.
 */
export function setShownField(object: Record<string, JsonValue>, field: string, value: JsonValue): void {
  if (!isOwnFieldName(field)) {
    object[field] = value;
    return;
  }
  // No built-in field has this name, so the member was made here.
  const own = (object[CUSTOM] ??= {}) as Record<string, JsonValue>;
  setMember(own, field.slice(PREFIX.length), value);
}

/** A canonical field of an object that is shown; undefined if the object does not have it. */
export function shownField(object: JsonObject, field: string): JsonValue | undefined {
  if (!isOwnFieldName(field)) return ownMember(object, field);
  const custom = ownMember(object, CUSTOM);
  return isJsonObject(custom) ? ownMember(custom, field.slice(PREFIX.length)) : undefined;
}

/** The members of an object that is shown, with each own field under its prefixed name. */
export function withPrefixedFields(object: JsonObject): JsonObject {
  const custom = ownMember(object, CUSTOM);
  if (!isJsonObject(custom)) return object;
  const others = Object.entries(object).filter(([name]) => name !== CUSTOM);
  const own = Object.entries(custom).map(([name, value]) => [ownFieldName(name), value] as const);
  return Object.fromEntries([...others, ...own]);
}
