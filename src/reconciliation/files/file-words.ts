import type { PlatformName } from '@app/mapper';
import type { CaseKind } from '../../records/events/case-kinds';
import type { AgeGroup } from '../statement/figures/ages';

/** The words of accounting in which files name the figures of a statement. docs/statement.md lists them. */
export const figureWords = {
  agree: 'agree on both platforms',
  disagree: 'differ between the platforms',
  only_on: 'on this platform only',
  ambiguous: 'match not certain',
  accepted: 'differences accepted',
  deleted: 'deleted on the platform',
  from: 'total of the first platform',
  to: 'total of the second platform',
  line_accepted: 'of which accepted',
  without_amount: 'records without a readable amount',
  outside: 'not in the total, no exchange rate',
} as const;

export const ageWords: Readonly<Record<AgeGroup, string>> = {
  '0-30': 'open for 0 to 30 days',
  '31-60': 'open for 31 to 60 days',
  '61-90': 'open for 61 to 90 days',
  'over-90': 'open for more than 90 days',
};

const causeWords: Readonly<Record<string, string>> = {
  ambiguous: 'match not certain',
  other_project: 'linked record in another project',
  amounts_disagree: 'amounts differ',
  rounding: 'rounding on conversion',
  no_amount: 'amount on one platform only',
  not_comparable: 'amounts cannot be compared',
};

/**
 * The words for causes of differences that concern one platform, by the prefix of the cause. In the bridge, the lines
 * of the first platform are subtracted.
 */
const platformCauses: readonly (readonly [prefix: string, words: string])[] = [
  ['only_on_', 'on this platform only'],
  ['dated_after_', 'dated after the cut-off'],
];

/** A line of a statement in words, and the platform that it is about. */
export interface LineWords {
  readonly words: string;
  readonly platform: PlatformName | null;
}

/**
 * The line of a cause in words.
 *
 * @param platforms of the statement: the first and the second
 */
export function lineWordsOf(cause: string, platforms: readonly PlatformName[]): LineWords {
  for (const [prefix, words] of platformCauses) {
    const platform = platforms.find((one) => cause === `${prefix}${one}`);
    if (platform !== undefined)
      return { words: `${platform === platforms[0] ? 'less' : 'plus'}: ${words}`, platform };
  }
  return { words: causeWords[cause] ?? cause, platform: null };
}

/** Kinds of cases in words. */
const kindWords: Readonly<Record<CaseKind, string>> = {
  disagreement: 'values differ',
  only_on: 'on one platform only',
  ambiguous: 'match not certain',
  other_project: 'linked record in another project',
  unreadable: 'value cannot be read',
  not_comparable: 'amounts cannot be compared',
};

/** A kind of cases in words; a name that is no kind stays as it is. */
export function wordsOfKind(kind: string): string {
  return new Map<string, string>(Object.entries(kindWords)).get(kind) ?? kind;
}

const ACCEPTED_OF = 'accepted_of_';

/** Figures of a sign-off that are no line of a statement: states, and the figures of a platform. */
const signedWords = new Map<string, string>(
  Object.entries({ ...figureWords, records: 'records', sum: 'total' }),
);

/**
 * A signed figure in words, such as `of which accepted: rounding on conversion`, and the platform that it is about.
 *
 * @param figure with its line in the words of the API
 * @param platforms of the statement: the first and the second
 */
export function wordsOfSignedFigure(
  { line, platform }: { readonly line: string; readonly platform: PlatformName | null },
  platforms: readonly PlatformName[],
): LineWords {
  const own = signedWords.get(line);
  // `ambiguous` names a state and a line. Both have the same words.
  if (own !== undefined) return { words: own, platform };
  const isAccepted = line.startsWith(ACCEPTED_OF);
  const { words, platform: of } = lineWordsOf(isAccepted ? line.slice(ACCEPTED_OF.length) : line, platforms);
  return { words: isAccepted ? `${figureWords.line_accepted}: ${words}` : words, platform: of ?? platform };
}
