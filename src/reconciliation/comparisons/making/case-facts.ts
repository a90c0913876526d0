import {
  assembleFields,
  fieldsOf,
  mappingOf,
  ownMember,
  variantNameFor,
  type JsonObject,
  type JsonValue,
  type Mapping,
  type Money,
  type PlatformName,
  type StoredEntityType,
  type ValueTerms,
} from '@app/mapper';
import { namingFields } from '../../../records/platform-records/naming-fields';
import type { Case, ObjectOfCases } from '../case-parts';
import { documentDateField } from '../../../records/platform-records/type-traits';
import type { Comparison } from '../comparison';
import type { Converter } from '../conversion';
import { shortLabel } from './short-label';

/** Canonical fields whose texts are the label of a case. A company is known by its name alone. Pure. */
function labelFields(entityType: StoredEntityType): readonly string[] {
  const { number, title } = namingFields[entityType];
  if (title === undefined) return [number];
  return entityType === 'customer' ? [title] : [number, title];
}

/**
 * Adds facts about the object to the detail of each case: its number and name, its counterparty, its amounts, the
 * currency of its difference and of the converted amounts, the variants and native parents of its records, from which
 * their addresses are computed, and the facts that determine where the case can be settled. So a page of cases needs no
 * records. Pure.
 *
 * @param convert converts an amount into the statement's usual currency
 */
export function withFacts<One extends Case>(
  cases: readonly One[],
  object: ObjectOfCases,
  comparison: Comparison,
  terms: ValueTerms,
  convert: Converter,
): readonly One[] {
  if (cases.length === 0) return [];
  const label = labelOf(object, terms);
  return cases.map((one) => ({
    ...one,
    detail: {
      ...one.detail,
      facts: {
        label,
        counterparty: counterpartyOf(object, one),
        // The usual currency changes with the connections, and a closed case keeps its figures.
        currency: convert.currency,
        amounts: amountsOf(one, comparison, convert),
        places: placesOf(object, one),
        ...settlingFacts(object, one, terms),
      },
    },
  }));
}

function labelOf(object: ObjectOfCases, terms: ValueTerms): string | null {
  const names = labelFields(object.entityType);
  const fields = assembleFields(object, names, terms);
  const texts = names
    .map((name) => fields[name])
    .filter((text): text is string => typeof text === 'string' && text !== '');
  return texts.length === 0 ? null : shortLabel(texts.join(' '));
}

/** The company that the case's record is with; of two records, that of the first which names one. */
function counterpartyOf({ counterparties }: ObjectOfCases, { platform, left, right }: Case): string | null {
  const first = [platform ?? left, left, right].find((one) => counterparties.has(one));
  return (first && counterparties.get(first)) ?? [...counterparties.values()][0] ?? null;
}

function amountsOf({ left, right }: Case, { pairs }: Comparison, convert: Converter): JsonObject {
  const amounts = new Map<PlatformName, Money>();
  for (const pair of pairs) {
    if (pair.leftAmount !== null) amounts.set(pair.left, pair.leftAmount);
    if (pair.rightAmount !== null) amounts.set(pair.right, pair.rightAmount);
  }
  return Object.fromEntries(
    [...new Set([left, right])].flatMap((platform): [string, JsonValue][] => {
      const amount = amounts.get(platform);
      if (amount === undefined) return [];
      const converted = convert(amount);
      // As text, because sums may exceed the range of a JSON number.
      const sum = converted === undefined ? null : String(converted);
      return [[platform, { amount: amount.amount, currency: amount.currency, converted: sum }]];
    }),
  );
}

/** The facts from which the address of each record of the case is computed, besides its ID. */
function placesOf({ entityType, copies }: ObjectOfCases, { left, right }: Case): JsonObject {
  return Object.fromEntries(
    copies
      .filter(({ platform }) => platform === left || platform === right)
      .map(({ platform, variant, payload }) => {
        const { resource } = mappingOf(platform, entityType, { variant });
        return [platform, { variant, parents: { ...resource.parentsIn(payload) } }];
      }),
  );
}

/** What decides where a case can be settled, beside its kind and field. */
function settlingFacts(object: ObjectOfCases, one: Case, terms: ValueTerms): JsonObject {
  const { entityType, copies } = object;
  if (one.listedBefore !== null) return { dates: documentDateField(entityType) ?? null };
  const missing = ownMember(one.detail, 'missing_on');
  if (typeof missing === 'string' && one.kind === 'only_on') {
    const platform = missing === one.left ? one.left : one.right;
    return { lacks: lackingOn(platform, object, terms) };
  }
  if (one.field === null) return {};
  const counts = copies.flatMap(({ platform, variant, payload }): [string, JsonValue][] => {
    const mapping = mappingOf(platform, entityType, { variant });
    if (one.field === null || mapping.accessTo(one.field) !== 'lines') return [];
    const lines = mapping.resource.linesIn(payload).length;
    return lines > 1 ? [[platform, lines]] : [];
  });
  return counts.length === 0 ? {} : { lines: Object.fromEntries(counts) };
}

/** The canonical fields that a platform needs for a new record and that the object does not have. */
function lackingOn(platform: PlatformName, object: ObjectOfCases, terms: ValueTerms): string[] {
  const { entityType, projects, counterparties } = object;
  const data = assembleFields(object, undefined, terms);
  const mapping: Mapping = mappingOf(platform, entityType, {
    variant: variantNameFor(platform, entityType, data) ?? null,
  });
  const has = (field: string): boolean => (ownMember(data, field) ?? null) !== null;
  // A change completes references by those of the records around the object.
  const follows: Readonly<Record<string, boolean>> = {
    project_id: [...projects.values()].some((project) => project !== null),
    customer_id: counterparties.size > 0,
    contract_id: has('invoice_id'),
  };
  return mapping.requiredToCreate.filter(
    (field) => Object.hasOwn(fieldsOf(entityType), field) && !has(field) && follows[field] !== true,
  );
}
