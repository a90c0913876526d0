import {
  isEntityType,
  isJsonArray,
  isJsonObject,
  ownCodecNames,
  OwnFields,
  ownMember,
  stringifyJson,
  type JsonArray,
  type JsonValue,
  type OwnCodec,
  type OwnFieldDefinition,
  type OwnPlace,
} from '@app/mapper';
import { RecentMap } from '../../runtime/caching/recent-map';

/** The most sets of own fields that this process caches. Each holds the mappings that are compiled for it. */
const REMEMBERED = 64;

/** Own fields by the text of their definitions; the most recently used ones last. */
const remembered = new RecentMap<string, OwnFields>(REMEMBERED);

/** The name under which the definition of an own field is stored among the terms. */
export function ownFieldTermName(entityType: string, name: string): string {
  return `${entityType}.${name}`;
}

/**
 * Parses stored definitions of own fields; undefined if there are none. Equal definitions give the same object, with the
 * mappings that are compiled for it. Definitions that this release does not understand are left out.
 *
 * @param rows name and value of each term of the kind `field`
 */
export function ownFieldsFrom(
  rows: readonly (readonly [name: JsonValue, value: JsonValue])[],
): OwnFields | undefined {
  if (rows.length === 0) return undefined;
  const text = stringifyJson(rows.map((row): JsonArray => [...row]));
  const known = remembered.get(text);
  if (known !== undefined) {
    remembered.set(text, known);
    return known;
  }
  const made = new OwnFields(rows.flatMap(([name, value]) => definitionFrom(name, value) ?? []));
  remembered.set(text, made);
  return made;
}

/** Parses one stored definition; undefined if this release does not understand it. */
export function definitionFrom(name: JsonValue, value: JsonValue): OwnFieldDefinition | undefined {
  const [entityType = '', ownName = ''] = typeof name === 'string' ? name.split('.') : [];
  if (!isEntityType(entityType) || ownName === '' || !isJsonObject(value)) return undefined;
  const codec = codecFrom(ownMember(value, 'codec'));
  const platforms = ownMember(value, 'platforms');
  if (codec === undefined || !isJsonObject(platforms)) return undefined;
  const label = ownMember(value, 'label');
  return {
    entityType,
    name: ownName,
    codec,
    ...(typeof label === 'string' && { label }),
    platforms: Object.fromEntries(
      Object.entries(platforms).flatMap(([platform, place]) => {
        const known = placeFrom(place);
        return known === undefined ? [] : [[platform, known] as const];
      }),
    ),
  };
}

function codecFrom(value: JsonValue | undefined): OwnCodec | undefined {
  if (value === undefined || !isJsonObject(value)) return ownCodecNames.find((name) => name === value);
  const words = ownMember(value, 'one_of');
  return isJsonArray(words) ? { one_of: words.map(String) } : undefined;
}

function placeFrom(value: JsonValue): OwnPlace | undefined {
  if (!isJsonObject(value)) return undefined;
  const path = ownMember(value, 'path');
  return typeof path === 'string' ? { path, writable: ownMember(value, 'writable') === true } : undefined;
}
