import {
  ComparedRecords,
  disagreementsOn,
  fieldsOf,
  isOwnFieldName,
  platformNames,
  type FieldDifference,
  type JsonValue,
  type Money,
  type PlatformName,
  type StoredEntityType,
  type StoredObject,
  type ValueTerms,
} from '@app/mapper';
import { documentDates, type DocumentDates } from '../../records/objects/document-dates';
import { typeTraits } from '../../records/platform-records/type-traits';

/**
 * The state of an object between two platforms; the left one is the one with precedence. An object that only one
 * platform has is `ambiguous` if the other has a record with its key.
 */
export const states = [
  'agree',
  'disagree',
  'only_left',
  'only_right',
  'ambiguous_left',
  'ambiguous_right',
] as const;
export type State = (typeof states)[number];

/** Whether an object of a state has a record on a platform of the pair. */
export const isOnLeft = (state: State): boolean => state !== 'only_right' && state !== 'ambiguous_right';
export const isOnRight = (state: State): boolean => state !== 'only_left' && state !== 'ambiguous_left';

/**
 * The relation of two amounts of one object: `equal` to the minor unit or at the rate, `differ`, or `no_rate` if the
 * rate or a currency is unknown.
 */
export type AmountComparison = 'equal' | 'differ' | 'no_rate';

/** A stored object, with the context that comparing needs. */
export interface ComparedObject extends StoredObject {
  readonly entityType: StoredEntityType;
  /**
   * Canonical ID of each record's project, by the record itself or by its contract or invoice on its platform. Null if
   * the named project is unknown. A record without a project has no entry.
   */
  readonly projects: ReadonlyMap<PlatformName, string | null>;
  /**
   * Records with the same key on platforms where this object has none, except those that cannot-link decisions exclude.
   */
  readonly candidates: readonly Candidate[];
}

/**
 * A record that shares its key with a record of another platform, without evidence whether they are the same object.
 */
export interface Candidate {
  readonly platform: PlatformName;
  readonly platformId: string;
  readonly canonicalId: string;
  /** Its object has a record on the other platform already. */
  readonly linked: boolean;
}

/** A field on which two platforms disagree, and the platform with the canonical value. */
export interface Difference extends FieldDifference {
  readonly stands: PlatformName;
  readonly why: string;
}

/** One object between two platforms, at least one of which has it. */
export interface PairComparison {
  readonly left: PlatformName;
  readonly right: PlatformName;
  readonly state: State;
  readonly leftAmount: Money | null;
  readonly rightAmount: Money | null;
  /** Canonical ID of the project in which the left record counts; null without a record, or without a known project. */
  readonly leftProject: string | null;
  readonly rightProject: string | null;
  readonly leftDates: DocumentDates;
  readonly rightDates: DocumentDates;
  /** Undefined unless both have an amount; `no_rate` if the currency of one is unknown. */
  readonly amounts: AmountComparison | undefined;
  readonly differences: readonly Difference[];
}

/** A comparison as statements add it up. */
export type ComparedPair = Omit<PairComparison, 'differences'>;

/** An invalid field, which is left out of the canonical object. */
export interface Unreadable {
  readonly platform: PlatformName;
  readonly path: string;
  readonly problem: string;
  /** What the record has there, with the parts of an amount that the problem keeps from being read. */
  readonly native: JsonValue;
}

/** The result of comparing an object. */
export interface Comparison {
  readonly pairs: readonly PairComparison[];
  readonly unreadable: readonly Unreadable[];
  /** Amounts of records that cannot be read, as the records have them. */
  readonly unreadAmounts: ReadonlyMap<PlatformName, JsonValue>;
}

/** The pairs of platforms, in order of precedence: with two platforms one, with three three. */
export function platformPairs(): readonly (readonly [left: PlatformName, right: PlatformName])[] {
  return platformNames.flatMap((left, at) =>
    platformNames.slice(at + 1).map((right): [PlatformName, PlatformName] => [left, right]),
  );
}

/**
 * Compares the records of one object, each pair of platforms separately. Pure: the result depends on the records, their
 * inherited values, the candidates and the terms.
 */
export function compareObject(object: ComparedObject, terms: ValueTerms): Comparison {
  const records = new ComparedRecords(object, terms.own);
  const here = new Set(object.copies.map(({ platform }) => platform));
  const { hasAmount } = typeTraits[object.entityType];
  const money = (platform: PlatformName) => (hasAmount ? records.moneyOf(platform, 'amount') : null);
  const pairs: PairComparison[] = [];
  for (const [left, right] of platformPairs()) {
    if (!here.has(left) && !here.has(right)) continue;
    const found = records.differences(left, right, terms.rates);
    const whose = found.length === 0 ? undefined : standing(object, found, terms);
    const differences = found.map((one) => ({ ...one, ...whoStands(one, whose) }));
    const [leftAmount, rightAmount] = [money(left), money(right)];
    const isUnknown = (platform: PlatformName) => hasAmount && records.hasUnknownCurrency(platform, 'amount');
    const amounts =
      leftAmount !== null && rightAmount !== null
        ? comparisonOf(differences)
        : here.has(left) && here.has(right) && (isUnknown(left) || isUnknown(right))
          ? 'no_rate'
          : undefined;
    const leftProject = here.has(left) ? projectOf(object, left, right) : null;
    const rightProject = here.has(right) ? projectOf(object, right, left) : null;
    pairs.push({
      left,
      right,
      state: stateOf(
        object,
        here,
        left,
        right,
        differences.length > 0 || amounts === 'no_rate' || leftProject !== rightProject,
      ),
      leftAmount,
      rightAmount,
      leftProject,
      rightProject,
      leftDates: documentDates(object.entityType, records, left),
      rightDates: documentDates(object.entityType, records, right),
      amounts,
      differences,
    });
  }
  const unreadAmounts = new Map<PlatformName, JsonValue>();
  for (const platform of hasAmount ? here : []) {
    const amount = records.unreadMoneyOf(platform, 'amount');
    if (amount !== undefined) unreadAmounts.set(platform, amount);
  }
  const unreadable = records.issues.map((one) => {
    const amount = unreadAmounts.get(one.platform);
    return amount !== undefined && records.isAt(one.platform, 'amount', one.path)
      ? { ...one, native: amount }
      : one;
  });
  return { pairs, unreadable, unreadAmounts };
}

/** A record without a project counts in the project of its linked record: an absent value differs from nothing. */
function projectOf({ projects }: ComparedObject, platform: PlatformName, other: PlatformName): string | null {
  const [first] = platformNames.filter((one) => projects.has(one));
  const named = [platform, other, first].find((one) => one !== undefined && projects.has(one));
  return (named && projects.get(named)) ?? null;
}

/** Whether an object has both records and they belong to different projects. */
export function hasTwoProjects({
  state,
  leftProject,
  rightProject,
}: Pick<PairComparison, 'state' | 'leftProject' | 'rightProject'>): boolean {
  return isOnLeft(state) && isOnRight(state) && leftProject !== rightProject;
}

/**
 * Whether both records are there and bear different dates. Between the two dates, a statement of documents up to a day
 * has only one of them. A record without a date counts as dated before any other.
 */
export function hasTwoDates({
  state,
  leftDates,
  rightDates,
}: Pick<PairComparison, 'state' | 'leftDates' | 'rightDates'>): boolean {
  return isOnLeft(state) && isOnRight(state) && leftDates.date !== rightDates.date;
}

function stateOf(
  { candidates }: ComparedObject,
  here: ReadonlySet<PlatformName>,
  left: PlatformName,
  right: PlatformName,
  differ: boolean,
): State {
  if (here.has(left) && here.has(right)) return differ ? 'disagree' : 'agree';
  const side = here.has(left) ? 'left' : 'right';
  const missing = side === 'left' ? right : left;
  return candidates.some(({ platform }) => platform === missing) ? `ambiguous_${side}` : `only_${side}`;
}

function comparisonOf(differences: readonly Difference[]): AmountComparison {
  const amount = differences.find(({ field }) => field === 'amount');
  if (amount === undefined) return 'equal';
  return amount.kind === 'no_rate' ? 'no_rate' : 'differ';
}

type Standing = ReadonlyMap<string, { readonly stands: PlatformName; readonly why: string }>;

/** The platform with the canonical value of each disputed field. */
function standing(object: StoredObject, disputed: readonly FieldDifference[], terms: ValueTerms): Standing {
  const names = disputed.map(({ field }) => field);
  return new Map(
    disagreementsOn(object, names, terms).map(
      ({ field, chosen, why }) => [field, { stands: chosen.platform, why }] as const,
    ),
  );
}

// Equality at the rate is not transitive: two platforms may each agree with a third one and not with each other.
function whoStands({ field, left }: FieldDifference, known: Standing | undefined) {
  return known?.get(field) ?? { stands: left.platform, why: 'it comes first by default' };
}

/** Whether a canonical field holds money. The values of an own field say themselves whether they are. */
export function mayBeMoney(entityType: StoredEntityType, field: string): boolean {
  return fieldsOf(entityType)[field]?.money === true || isOwnFieldName(field);
}
