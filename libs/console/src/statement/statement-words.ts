import type { Platform, Statement } from '../data/queries';

type TypeName = Statement['types'][number]['entity_type'];

/** Entity types as headings. */
export const typeWords: Readonly<Record<TypeName, string>> = {
  project: 'Projects',
  customer: 'Customers',
  contract: 'Contracts',
  invoice: 'Invoices',
  payment: 'Payments',
};

const plainCauses: Readonly<Record<string, string>> = {
  ambiguous: 'Match not certain',
  other_project: 'Linked record in another project',
  amounts_disagree: 'Amounts differ',
  rounding: 'Rounding on conversion',
  no_amount: 'Amount on one platform only',
  not_comparable: 'Amounts cannot be compared',
};

/** A line of a statement in the words that its CSV file has. The cause itself, where a later release adds one. */
export function causeWords(cause: string, [first]: readonly Platform[]): string {
  const [, kind, platform] = /^(only_on|dated_after)_(platform_\w+)$/.exec(cause) ?? [];
  if (kind === undefined) return plainCauses[cause] ?? cause;
  const sign = platform === first ? 'Less' : 'Plus';
  return kind === 'only_on'
    ? `${sign}: on ${platform} only`
    : `${sign}: dated after the cut-off, ${platform}`;
}

/** Whether a type ties out: in words, with a mark that does not need its colour. */
export interface Verdict {
  readonly state: 'tied' | 'offset' | 'open';
  readonly words: string;
}

type TypeFigures = Pick<Statement['types'][number], 'totals' | 'counts'>;

/** Objects of a type that do not agree. */
export function openObjects({ disagree, ambiguous, only_on: alone }: TypeFigures['counts']): number {
  return Object.values(alone).reduce((sum, count) => sum + count, disagree + ambiguous);
}

/**
 * What the figures of a type say together. Equal sums are not enough: differences may offset each other, objects may differ in
 * other fields than their amount, and records may stand outside of the sums.
 */
export function verdictOf({ totals, counts }: TypeFigures, difference: bigint, complete: boolean): Verdict {
  if (difference !== 0n) return { state: 'open', words: 'Not tied out' };
  const open = openObjects(counts);
  if (totals === null) {
    if (open > 0) return { state: 'offset', words: 'Open items' };
    return complete ? { state: 'tied', words: 'All agree' } : { state: 'offset', words: 'All agree so far' };
  }
  if (totals.lines.some(({ amount }) => amount.amount !== 0)) {
    return { state: 'offset', words: 'Equal sums: differences offset each other' };
  }
  if (open > 0) return { state: 'offset', words: 'Equal sums, with open items' };
  if (totals.outside.length + totals.from.without_amount + totals.to.without_amount > 0) {
    return { state: 'offset', words: 'Equal sums, with records outside of them' };
  }
  return complete
    ? { state: 'tied', words: 'Tied out' }
    : { state: 'offset', words: 'Equal sums so far; not everything was read' };
}
