import {
  ownFieldName,
  type OwnCodec,
  type OwnFieldDefinition,
  type OwnFields,
  type OwnPlace,
} from '../canonical/own-fields';
import { pathFrom, type JsonPath } from '../json/json-path';
import { at } from '../mapping/binding';
import { overlap } from '../mapping/compile';
import { moneyCodec } from '../mapping/codecs/money';
import { booleanCodec, decimalCodec } from '../mapping/codecs/number';
import { textCodec } from '../mapping/codecs/text';
import { dateCodec } from '../mapping/codecs/time';
import { enumerationCodec } from '../mapping/codecs/enumeration';
import type { Mapping, OwnBinding } from '../mapping/mapping';
import {
  fields,
  never,
  placed,
  type NativeField,
  type NativeFields,
  type ValueKind,
} from '../resource/native-field';
import type { Platform } from './platform';

// Made once for the own fields of a customer, and held by them alone.
const extended = new WeakMap<OwnFields, Map<Mapping, Mapping>>();

/**
 * Adds a customer's own fields to a mapping of a platform. If the type has no own fields there, the result is the
 * mapping itself.
 */
export function mappingWith(
  own: OwnFields,
  platformName: string,
  platform: Platform,
  mapping: Mapping,
): Mapping {
  let mappings = extended.get(own);
  if (mappings === undefined) extended.set(own, (mappings = new Map<Mapping, Mapping>()));
  let made = mappings.get(mapping);
  if (made === undefined)
    mappings.set(mapping, (made = extendedMapping(own, platformName, platform, mapping)));
  return made;
}

function extendedMapping(own: OwnFields, name: string, platform: Platform, mapping: Mapping): Mapping {
  const all = own.of(mapping.entityType);
  // Callers find the own fields of the type by its mapping, so it knows them also where the platform has none.
  if (all.length === 0) return mapping;
  const taken = takenPaths(mapping);
  const here = all.flatMap((definition): [OwnFieldDefinition, OwnPlace][] => {
    const place = Object.hasOwn(definition.platforms, name) ? definition.platforms[name] : undefined;
    // A later release may map a built-in field at a path that was free when the definition was made. Then the built-in
    // field counts.
    if (place === undefined) return [];
    const path = nativePathOf(platform, place);
    return taken.some(([, other]) => overlap(other, path)) ? [] : [[definition, place]];
  });
  const bindings = here.map(([definition, place]): [string, OwnBinding] => [
    ownFieldName(definition.name),
    bindingOf(definition.codec, nativePathOf(platform, place).join('.'), platform.blank),
  ]);
  const native = here.map(([definition, place]) => nativeFieldOf(platform, mapping, definition.codec, place));
  return mapping.withOwnFields(own, Object.fromEntries(bindings), native);
}

/** The path of an own field in a platform's records. */
export function nativePathOf({ ownFields }: Platform, { path }: OwnPlace): JsonPath {
  const given = pathFrom(path);
  return ownFields?.pathOf(given) ?? given;
}

/** The native paths that a mapping reads, each with what stands there. */
export function takenPaths(mapping: Mapping): readonly (readonly [what: string, path: JsonPath])[] {
  const { id, currency } = mapping.options;
  const { lines } = mapping.resource;
  return [
    ...mapping
      .describe()
      .flatMap(({ field, paths }) => paths.map((path) => [field, path.split('.')] as const)),
    ['the native ID', id.path.split('.')],
    ...(currency === undefined ? [] : [['the currency', currency.split('.')] as const]),
    ...(lines === undefined ? [] : [['the lines', lines.split('.')] as const]),
  ];
}

const NOT_WRITABLE = 'is not written, as its definition says';

/**
 * The native field of an own field. If the resource describes it, that description counts. A field inside a read-only
 * field is read-only too.
 */
function nativeFieldOf(platform: Platform, mapping: Mapping, codec: OwnCodec, place: OwnPlace): NativeField {
  const path = nativePathOf(platform, place);
  const name = path.join('.');
  const { resource } = mapping;
  const known = resource.fields.get(name);
  const [added] = known === undefined ? addedField(platform, mapping, path, kindOf(codec)) : [known];
  if (added === undefined) throw new TypeError(`${name} is no native field`);
  const [shown = added] = place.writable ? [] : never(NOT_WRITABLE, [added]);
  return shown;
}

function addedField(platform: Platform, mapping: Mapping, path: JsonPath, kind: ValueKind): NativeFields {
  const name = path.join('.');
  const fixed = mapping.fixedPathAt(path);
  if (fixed !== undefined) {
    return never(mapping.resource.fields.get(fixed.join('.'))?.why ?? 'is read only', fields(kind, name));
  }
  const member = { kind: 'member', name } as const;
  const places = platform.ownFields?.placesOf(path, mapping.entityType) ?? {
    creating: member,
    changing: member,
  };
  // A sandbox is a row of ours, and takes any field.
  return placed(kind, name, { changing: { kind: 'sandbox' }, ...places });
}

function kindOf(codec: OwnCodec): ValueKind {
  if (typeof codec === 'object') return 'word';
  return codec === 'money' ? 'decimal' : codec;
}

/** An ERP that has no null has a value of each type that means nothing. */
const NO_DATE = '0001-01-01';

function bindingOf(codec: OwnCodec, path: string, blank: Platform['blank']): OwnBinding {
  const hasNull = blank === 'null';
  if (typeof codec === 'object') {
    const literals = Object.fromEntries(codec.one_of.map((word) => [word, word]));
    return at(path, enumerationCodec(literals, hasNull ? {} : { blank: '' }));
  }
  switch (codec) {
    case 'text':
      return at(path, textCodec({ blank: hasNull ? null : '' }));
    case 'date':
      return at(path, dateCodec(hasNull ? null : NO_DATE));
    case 'boolean':
      return at(path, hasNull ? booleanCodec : { ...booleanCodec, encode: (value) => value ?? false });
    case 'decimal':
      return at(path, decimalCodec(hasNull ? 'number or text' : 'number'));
    case 'money':
      return at(path, moneyCodec({ form: hasNull ? 'number or text' : 'number' }));
  }
}
