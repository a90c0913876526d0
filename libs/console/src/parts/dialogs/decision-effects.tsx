import type { ReactNode } from 'react';
import type { Decided } from '../../data/decisions';
import { countText } from '../values/money-text';
import { effectWords } from '../words/decision-words';

/** More lines than these would not be read in a dialog. */
const LINES = 10;

/** What decisions will change, as a dry run has it. */
export function DecisionEffects({ result }: { readonly result: Pick<Decided, 'effects'> }): ReactNode {
  const words = effectWords(result).slice(0, LINES);
  const rest = result.effects.records_total - words.length;
  return (
    <>
      <p>
        Dry run:{' '}
        {result.effects.records_total === 0
          ? 'no record moves to another object. '
          : `${countText(result.effects.records_total)} ${result.effects.records_total === 1 ? 'record moves' : 'records move'} to another object. `}
        Nothing is sent to a platform.
      </p>
      {words.length > 0 && (
        <ul>
          {words.map((line) => (
            <li key={line} className="text">
              {line}
            </li>
          ))}
          {rest > 0 && <li>and {countText(rest)} more</li>}
        </ul>
      )}
    </>
  );
}
