import type { components } from '@app/client';

/** What became of a change on one platform. */
export type PlatformOutcome = components['schemas']['PropagatedEntry'];
export type OutcomeStatus = PlatformOutcome['status'];

const words = {
  applied: ['●', 'has the change'],
  unchanged: ['○', 'needed no change'],
  pending: ['◌', 'accepted; the platform has not confirmed it yet'],
  uncertain: ['?', 'sent, and no answer came; the service looks whether it happened before it sends again'],
  rejected: ['✕', 'refused or given up'],
  skipped: ['–', 'not sent'],
  held: ['▲', 'held: a person has to look'],
} as const satisfies Record<OutcomeStatus, readonly [mark: string, words: string]>;

const plannedWords: Readonly<Partial<Record<OutcomeStatus, string>>> = {
  applied: 'will be written',
  unchanged: 'needs no change',
  pending: 'will be sent',
  skipped: 'will not be sent',
};

/**
 * The mark and the words of an outcome; for a dry run, of the expected outcome. A status that this release does not
 * know is shown as it is.
 */
export function outcomeWords(
  status: string,
  { isPlan = false }: { readonly isPlan?: boolean } = {},
): readonly [mark: string, words: string] {
  if (!isKnown(status)) return ['·', status];
  const [mark, said] = words[status];
  return [mark, (isPlan ? plannedWords[status] : undefined) ?? said];
}

function isKnown(status: string): status is OutcomeStatus {
  return Object.hasOwn(words, status);
}

/** Outcomes of a change in a sentence: `platform_a: has the change; platform_b: not sent`. */
export function outcomesSentence(outcomes: Readonly<Record<string, PlatformOutcome | undefined>>): string {
  return Object.entries(outcomes)
    .flatMap(([platform, outcome]) =>
      outcome === undefined ? [] : [`${platform}: ${outcomeWords(outcome.status)[1]}`],
    )
    .join('; ');
}

/** A conversion in words: `amount: USD to QAR, 1 USD = 3.64 QAR (peg), rounded half to even`. */
export function conversionWords({
  field,
  from,
  to,
  rate,
  source,
  inverted,
  via,
}: NonNullable<PlatformOutcome['conversions']>[number]): string {
  const [one, other] = inverted === true ? [to, from] : [from, to];
  const quote = via === undefined ? `1 ${one} = ${rate} ${other}` : `at ${rate}, crossed through ${via}`;
  return `${field}: ${from} to ${to}, ${quote} (${source}), rounded half to even`;
}
