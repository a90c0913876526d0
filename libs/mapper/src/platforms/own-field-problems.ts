import type { EntityType } from '../canonical/entity-type';
import { ownCodecNames, OwnFields, type OwnFieldDefinition } from '../canonical/own-fields';
import { isStorableText } from '../json/storable-text';
import { overlap } from '../mapping/compile';
import type { FieldIssue } from '../mapping/mapping-error';
import type { Mapping } from '../mapping/mapping';
import { nativePathOf, takenPaths } from './own-mapping';
import {
  isPlatformName,
  mappingOf,
  platformNames,
  platformOf,
  variantsOf,
  type PlatformName,
} from './registry';

/** Limits of own fields. Each field costs every record of its type a look-up, for this customer alone. */
export const ownFieldLimits = {
  /** Own fields of one type. */
  fields: 50,
  /** Characters of a name. */
  name: 40,
  /** Characters of a label. */
  label: 200,
  /** Values of an enumeration, and characters of each. */
  values: 100,
  valueLength: 100,
  /** Members of a path, and characters of all. */
  members: 8,
  path: 200,
} as const;

/** Lower case letters, digits and underscores, a letter in front. */
const namePattern = /^[a-z][a-z0-9_]*$/;
export const ownFieldNamePattern = namePattern.source;

/** Whether a text can be the name of an own field. */
export function isOwnFieldNameText(name: string): boolean {
  return name.length <= ownFieldLimits.name && namePattern.test(name);
}

/**
 * The problems of a definition's codec, label and platforms; empty if there are none. For those of the native paths see
 * {@link problemsOfPaths}. The path of a problem is a member of the definition.
 */
export function problemsOfDefinition({ codec, platforms, label }: OwnFieldDefinition): readonly FieldIssue[] {
  const problems: FieldIssue[] = [];
  if (typeof codec === 'object') problems.push(...problemsOfValues(codec.one_of));
  else if (!ownCodecNames.includes(codec)) {
    const names = ownCodecNames.join(', ');
    problems.push({ path: 'codec', problem: `expected one of ${names}, or { "one_of": [values] }` });
  }
  const names = Object.keys(platforms);
  if (names.length === 0) problems.push({ path: 'platforms', problem: 'expected at least one platform' });
  for (const name of names) {
    if (isPlatformName(name)) continue;
    problems.push({ path: 'platforms', problem: `expected some of ${platformNames.join(', ')}` });
  }
  if (label !== undefined && !isStorableText(label))
    problems.push({ path: 'label', problem: 'must not contain a NUL character or half of a surrogate pair' });
  return problems;
}

function problemsOfValues(values: readonly string[]): readonly FieldIssue[] {
  const fits = (value: string): boolean =>
    value.trim() !== '' &&
    value.length <= ownFieldLimits.valueLength &&
    isStorableText(value) &&
    value !== 'unknown';
  if (values.length > 0 && values.length <= ownFieldLimits.values && values.every(fits)) {
    return new Set(values).size === values.length
      ? []
      : [{ path: 'codec.one_of', problem: 'each value at most once' }];
  }
  return [
    {
      path: 'codec.one_of',
      problem: `expected 1 to ${ownFieldLimits.values} values of at most ${ownFieldLimits.valueLength} characters, not "unknown"`,
    },
  ];
}

/**
 * The problems of a definition's paths: they do not parse, or another field already has its value there. The path of a
 * problem is a member of the definition.
 *
 * @param others the customer's other own fields
 */
export function problemsOfPaths(definition: OwnFieldDefinition, others: OwnFields): readonly FieldIssue[] {
  return Object.entries(definition.platforms).flatMap(([name, place]): FieldIssue[] => {
    if (!isPlatformName(name)) return [];
    const problem = problemOfPath(place.path) ?? collision(name, definition, others);
    return problem === undefined ? [] : [{ path: `platforms.${name}.path`, problem }];
  });
}

// Members that name no data of an object, or that some reader of a record may take for its prototype.
const forbidden: ReadonlySet<string> = new Set(['__proto__', 'prototype', 'constructor']);

function problemOfPath(path: string): string | undefined {
  const { members: most, path: longest } = ownFieldLimits;
  const members = path.split('.');
  if (path.length > longest || members.length > most)
    return `expected at most ${most} members and ${longest} characters`;
  if (!isStorableText(path) || members.some((member) => member.trim() !== member || member === ''))
    return 'expected names of members, joined by points';
  const bad = members.find((member) => forbidden.has(member));
  return bad === undefined ? undefined : `${bad} cannot be a member`;
}

function collision(
  platform: PlatformName,
  { entityType, name, platforms }: OwnFieldDefinition,
  others: OwnFields,
): string | undefined {
  const place = platforms[platform];
  if (place === undefined) return undefined;
  const path = nativePathOf(platformOf(platform), place);
  const own = others.of(entityType).find((other) => {
    const there = other.name === name ? undefined : other.platforms[platform];
    return there !== undefined && overlap(nativePathOf(platformOf(platform), there), path);
  });
  if (own !== undefined) return `${path.join('.')} holds the own field ${own.name}`;
  for (const mapping of mappingsOf(platform, entityType)) {
    const taken = takenPaths(mapping).find(([, other]) => overlap(other, path));
    if (taken !== undefined) return `${taken[1].join('.')} of ${platform} holds ${taken[0]}`;
  }
  return undefined;
}

function mappingsOf(platform: PlatformName, entityType: EntityType): readonly Mapping[] {
  const variants = variantsOf(platform, entityType);
  if (variants === undefined) return [mappingOf(platform, entityType)];
  return Object.keys(variants.variants).map((variant) => mappingOf(platform, entityType, { variant }));
}
