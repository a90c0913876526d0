import type { FigureChange } from '../../data/signoffs';
import type { Platform } from '../../data/queries';

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

/** Figures that are no line of a statement: states, and the figures of a platform. */
const ownWords: Readonly<Record<string, string>> = {
  agree: 'Agree',
  disagree: 'Disagree',
  only_on: 'On one platform only',
  accepted: 'Differences accepted',
  deleted: 'Deleted on the platform',
  records: 'Records',
  sum: 'Sum',
  without_amount: 'Records without a readable amount',
  outside: 'Not in the sum, no exchange rate',
};

const ACCEPTED_OF = 'accepted_of_';

/** A figure of a statement in words: `Of which accepted: amounts differ`, `Sum on platform_a`. */
export function figureWords(
  { line, platform }: Pick<FigureChange, 'line' | 'platform'>,
  platforms: readonly Platform[],
): string {
  const own = ownWords[line];
  if (own !== undefined) return platform === null ? own : ownOf(line, own, platform);
  if (!line.startsWith(ACCEPTED_OF)) return causeWords(line, platforms);
  const words = causeWords(line.slice(ACCEPTED_OF.length), platforms);
  return `Of which accepted: ${words.charAt(0).toLowerCase()}${words.slice(1)}`;
}

function ownOf(line: string, own: string, platform: Platform): string {
  if (line === 'only_on') return `On ${platform} only`;
  return line === 'deleted' ? `Deleted on ${platform}` : `${own}, ${platform}`;
}
