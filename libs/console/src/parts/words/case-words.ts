import type { Case } from '../../data/cases';
import { countText } from '../values/money-text';

/** Kinds of cases in the words of the files. */
export const kindWords: Readonly<Record<Case['kind'], string>> = {
  disagreement: 'Values differ',
  only_on: 'On one platform only',
  ambiguous: 'Match not certain',
  other_project: 'Linked record in another project',
  unreadable: 'Value cannot be read',
  not_comparable: 'Amounts cannot be compared',
};

const kindMarks: Readonly<Record<Case['kind'], string>> = {
  disagreement: '≠',
  only_on: '◧',
  ambiguous: '?',
  other_project: '⇄',
  unreadable: '!',
  not_comparable: '∤',
};

/** The mark of a kind: a shape beside its words. Which platform has a record alone shows in it, as on the statement. */
export function markOf({ kind, platform }: Pick<Case, 'kind' | 'platform'>): string {
  return kind === 'only_on' && platform === 'platform_b' ? '◨' : kindMarks[kind];
}

export const stateWords: Readonly<Record<Case['state'], string>> = {
  open: 'Open',
  accepted: 'Accepted',
  closed: 'Closed',
};

/** Groups of ages. */
export const ageWords: Readonly<Record<string, string>> = {
  '0-30': '0–30 days',
  '31-60': '31–60 days',
  '61-90': '61–90 days',
  'over-90': 'Over 90 days',
};

/** `1 day`, `47 days`. */
export function daysText(days: number): string {
  return `${countText(days)} ${days === 1 ? 'day' : 'days'}`;
}

/** What a case is called: by its object’s number and title, else by the object’s ID. */
export function caseName(one: Case): string {
  return one.label ?? ('number' in one ? one.number : null) ?? one.canonical_id;
}

/** Why there is a case, in a few words. */
export function whyWords(one: Case): string {
  switch (one.kind) {
    case 'disagreement':
      return `${one.field}: that of ${one.stands} counts, because ${one.why}`;
    case 'only_on':
      // Up to a day a record stands alone if the one that it is linked to is dated later.
      return one.records.some(({ platform }) => platform === one.missing_on)
        ? `its record on ${one.missing_on} has a later date`
        : `no such record on ${one.missing_on}`;
    case 'ambiguous': {
      const count = one.candidates.length;
      return `${countText(count)} ${count === 1 ? 'record has' : 'records have'} its key on the other platform`;
    }
    case 'unreadable':
      return one.problem;
    case 'other_project':
      return 'its linked record belongs to another project';
    case 'not_comparable':
      return one.problem ?? rateWords(one);
  }
}

/** Which rate is missing: between two amounts, or from the amounts of the records to the currency of differences. */
function rateWords({ platform, values, amounts }: Extract<Case, { kind: 'not_comparable' }>): string {
  if (values !== undefined) return 'no rate leads from one amount to the other';
  const usual = 'the usual currency of statements';
  const currency = platform === null ? undefined : amounts[platform]?.native.currency;
  return currency === undefined
    ? `a rate leads from one of the two amounts alone to ${usual}`
    : `no rate leads from ${currency} to ${usual}`;
}

/** What would settle a case, in sentences: the way first, then each platform that may not be written. */
export function settlementWords({ settlement, state }: Pick<Case, 'settlement' | 'state'>): string[] {
  const { by, field, writable } = settlement;
  const refusals = Object.entries(writable).flatMap(([platform, may]) =>
    typeof may === 'string' ? [`Not on ${platform}: ${may}.`] : [],
  );
  const places = Object.entries(writable).flatMap(([platform, may]) => (may === true ? [platform] : []));
  return [wayWords(by, field, places, state), ...refusals];
}

function wayWords(
  by: Case['settlement']['by'],
  field: string | undefined,
  places: readonly string[],
  state: Case['state'],
): string {
  const where = places.length === 0 ? '' : ` on ${places.join(' or ')}`;
  switch (by) {
    case 'propagate':
      return field === undefined
        ? `Creating the record${where} would settle it. So would a link, if the record is there under another key.`
        : `A change of ${field}${where} would settle it.`;
    case 'decision':
      return 'A decision would settle it: which of the records are one.';
    case 'platform':
      return 'It has to be corrected on the platform itself; the next reading then closes it.';
    case 'none':
      return state === 'closed'
        ? 'It is settled.'
        : 'No change and no decision would settle it. If a rate is missing, it closes when that is agreed.';
  }
}
