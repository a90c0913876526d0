import {
  creationLevels,
  defaultTerms,
  isJsonArray,
  isJsonObject,
  isPlatformName,
  ownMember,
  parseJsonText,
  ruleLevels,
  ruleNames,
  storedEntityTypes,
  type CreationLevel,
  type JsonValue,
  type PlatformName,
  type RateQuote,
  type RuleLevel,
  type RuleName,
  type StoredEntityType,
  type Terms,
} from '@app/mapper';
import { ownFieldsFrom } from './own-fields-text';

/**
 * Parses terms from the database's text. Entries that this release does not know, such as a rule of a later release,
 * are left out.
 *
 * @param text null where nothing was agreed
 */
export function termsFrom(text: string | null): Terms {
  if (text === null) return defaultTerms;
  const agreed = parseJsonText(text);
  if (!isJsonObject(agreed)) throw new Error('Stored terms are no JSON object');
  const rates = rowsIn(ownMember(agreed, 'rates')).map(rateFrom);
  const precedence: Partial<Record<StoredEntityType, Record<string, readonly PlatformName[]>>> = {};
  const rules: Partial<Record<RuleName, RuleLevel>> = {};
  const fields: (readonly [JsonValue, JsonValue])[] = [];
  let createMissing: CreationLevel | undefined;
  for (const [kind, name, value] of rowsIn(ownMember(agreed, 'terms'))) {
    if (kind === 'precedence') {
      const { entityType, field } = placeOf(name);
      if (entityType !== undefined) (precedence[entityType] ??= {})[field] = platformsIn(value);
    } else if (kind === 'field') {
      if (name !== undefined && value !== undefined) fields.push([name, value]);
    } else if (name === 'create_missing') {
      createMissing = creationLevels.find((known) => known === value);
    } else {
      const rule = ruleNames.find((known) => known === name);
      const level = ruleLevels.find((known) => known === value);
      if (rule !== undefined && level !== undefined) rules[rule] = level;
    }
  }
  const own = ownFieldsFrom(fields);
  return {
    rates,
    precedence,
    rules,
    ...(createMissing !== undefined && { createMissing }),
    ...(own && { own }),
  };
}

/** Terms with the text that they were parsed from. Equal texts mean equal terms. */
export interface Agreed {
  readonly text: string | null;
  readonly terms: Terms;
}

/** Terms from the database's text, with that text; see {@link termsFrom}. */
export function agreedFrom(text: string | null): Agreed {
  return { text, terms: termsFrom(text) };
}

/** The name under which a precedence is stored. */
export function precedenceName(entityType: StoredEntityType, field: string): string {
  return `${entityType}.${field}`;
}

function placeOf(name: JsonValue | undefined): {
  readonly entityType: StoredEntityType | undefined;
  readonly field: string;
} {
  const text = textIn(name);
  // The name of an own field has a point of its own.
  const point = text.indexOf('.');
  const type = text.slice(0, point);
  return { entityType: storedEntityTypes.find((known) => known === type), field: text.slice(point + 1) };
}

function rateFrom([from, to, rate]: readonly JsonValue[]): RateQuote {
  return { from: textIn(from), to: textIn(to), rate: textIn(rate) };
}

/** The platforms that a stored precedence names. */
function platformsIn(value: JsonValue | undefined): readonly PlatformName[] {
  return isJsonArray(value) ? value.map(textIn).filter(isPlatformName) : [];
}

function textIn(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : '';
}

function rowsIn(rows: JsonValue | undefined): readonly (readonly JsonValue[])[] {
  return isJsonArray(rows) ? rows.filter(isJsonArray) : [];
}
