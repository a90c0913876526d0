import { storedEntityTypes, type EntityType, type StoredEntityType } from '../canonical/entity-type';
import { fieldListOf } from '../canonical/types';
import type { OwnFields } from '../canonical/own-fields';
import type { RateQuote } from '../money/exchange-rates';
import { isPlatformName, platformNames, type PlatformName } from '../platforms';

/**
 * The order of the platforms for a field, by type and field: the first platform that has a value decides. Platforms
 * that are not named come after the named ones, in the default order. Fields that are not named have the default order.
 */
export type Precedence = Partial<Record<StoredEntityType, Readonly<Record<string, readonly PlatformName[]>>>>;

/** Rules that a change is checked against before anything is written. */
export const ruleNames = [
  'paid_above_billed',
  'billed_above_contract',
  'currency_unlike_contract',
  'locked_on_platform',
] as const;
export type RuleName = (typeof ruleNames)[number];

/** What becomes of a change that breaks a rule: refused, made with a warning, made without a word. */
export const ruleLevels = ['refuse', 'warn', 'off'] as const;
export type RuleLevel = (typeof ruleLevels)[number];

/**
 * What becomes of a record that a connected platform lacks when its object changes, by the rule `create_missing`:
 * contracts, invoices and payments are created on request alone, all records are created, or none is.
 */
export const creationLevels = ['ask', 'always', 'never'] as const;
export type CreationLevel = (typeof creationLevels)[number];

/** Levels of the rules that have another one than `refuse`. */
export type RuleLevels = Partial<Readonly<Record<RuleName, RuleLevel>>>;

/** What was agreed with a customer. */
export interface Terms {
  readonly rates: readonly RateQuote[];
  readonly precedence: Precedence;
  readonly rules: RuleLevels;
  /** The level of the rule `create_missing`; `ask` where it is absent. */
  readonly createMissing?: CreationLevel;
  /** The fields that the customer has added; absent where there is none. */
  readonly own?: OwnFields;
}

/** The terms that canonical values depend on. */
export type ValueTerms = Pick<Terms, 'rates' | 'precedence' | 'own'>;

/** Nothing was agreed: official pegs, the default order everywhere, every rule refuses. */
export const defaultTerms: Terms = { rates: [], precedence: {}, rules: {} };

/** The level of a rule for a customer. */
export function levelOf(rule: RuleName, rules: RuleLevels): RuleLevel {
  return rules[rule] ?? 'refuse';
}

// The currency and the lines of an amount come from the platform whose amount counts. Others would not fit it.
const followed: Partial<Record<EntityType, Readonly<Record<string, string>>>> = {
  project: { currency: 'total_value' },
  contract: { currency: 'amount', lines: 'amount' },
  invoice: { currency: 'amount', lines: 'amount' },
};

/** The platforms whose values come first for a field; undefined for the default order. */
export function precedenceOf(
  precedence: Precedence,
  entityType: EntityType,
  field: string,
): readonly PlatformName[] | undefined {
  // The types that are not stored have no precedence either.
  const fields = precedence[entityType as StoredEntityType];
  if (fields === undefined) return undefined;
  const leading = followed[entityType]?.[field] ?? field;
  return Object.hasOwn(fields, leading) ? fields[leading] : undefined;
}

/**
 * The values of platforms for a field, in the order of their precedence.
 *
 * @param items in the default order
 */
export function inOrderOf<Item extends { readonly platform: PlatformName }>(
  items: readonly Item[],
  precedence: Precedence,
  entityType: EntityType,
  field: string,
): readonly Item[] {
  const first = precedenceOf(precedence, entityType, field);
  if (first === undefined) return items;
  const rankOf = (platform: PlatformName): number => {
    const rank = first.indexOf(platform);
    return rank < 0 ? first.length : rank;
  };
  return items.toSorted((one, other) => rankOf(one.platform) - rankOf(other.platform));
}

/**
 * The fields of a type for which a precedence can be agreed: all except references and fields that each platform keeps
 * for itself.
 */
export function fieldsWithPrecedence(entityType: StoredEntityType, own?: OwnFields): readonly string[] {
  return fieldListOf(entityType, own)
    .filter(({ refersTo, ownToPlatform }) => refersTo === undefined && !ownToPlatform)
    .map(({ name }) => name);
}

/** Why there cannot be such a precedence; undefined when there can. */
export function problemOfPrecedence(
  entityType: string,
  field: string,
  platforms: readonly string[],
  own?: OwnFields,
): string | undefined {
  const type = storedEntityTypes.find((name) => name === entityType);
  if (type === undefined) return `entity type ${entityType}: expected one of ${storedEntityTypes.join(', ')}`;
  const known = fieldListOf(type, own).find(({ name }) => name === field);
  if (known === undefined) return `field ${field}: no field of ${type}`;
  if (known.refersTo !== undefined) return `field ${field}: a reference has no precedence`;
  if (known.ownToPlatform) return `field ${field}: each platform keeps its own`;
  const unknown = platforms.find((name) => !isPlatformName(name));
  if (unknown !== undefined) return `platform ${unknown}: expected some of ${platformNames.join(', ')}`;
  if (platforms.length === 0) return 'platforms: expected at least one';
  if (new Set(platforms).size < platforms.length) return 'platforms: each at most once';
  return undefined;
}
