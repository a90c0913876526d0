import type { ReactNode } from 'react';
import { Instant } from './values/instant';
import { conversionWords, outcomeWords, type PlatformOutcome } from './words/outcome-words';

interface OutcomeProps {
  readonly platform: string;
  readonly outcome: Pick<PlatformOutcome, 'created' | 'reason' | 'left' | 'decisions' | 'conversions'> & {
    readonly status: string;
  };
  /** Whether it is of a dry run: then it has not happened. */
  readonly isPlan?: boolean;
}

/** What became of a change on a platform, in the platform's words where it has some. */
export function Outcome({ platform, outcome, isPlan = false }: OutcomeProps): ReactNode {
  const { status, created, reason, left, decisions, conversions } = outcome;
  const [mark, words] = outcomeWords(status, { isPlan });
  const isRepeated = left !== undefined && (status === 'applied' || status === 'unchanged');
  return (
    <div className={`outcome ${status}`}>
      <p>
        <strong>{platform}</strong>{' '}
        <span className="mark">
          <span aria-hidden="true">{mark}</span> {words}
        </span>
        {created === true && ', as a new record'}
      </p>
      {reason !== undefined && !isRepeated && <p className="reason">{reason}</p>}
      {left?.map(({ field, reason: why }) => (
        <p key={field} className="reason">
          {field} is left: <bdi>{why}</bdi>
        </p>
      ))}
      {conversions?.map((conversion) => (
        <p key={conversion.field} className="quiet">
          {conversionWords(conversion)}
        </p>
      ))}
      {decisions?.map(({ action, reason: why, decided_by: who, made_at: at }) => (
        <p key={at} className="quiet">
          <Instant at={at} />, <bdi>{who ?? 'an operator'}</bdi> chose to {action.replaceAll('_', ' ')}:{' '}
          <bdi>{why}</bdi>
        </p>
      ))}
    </div>
  );
}
