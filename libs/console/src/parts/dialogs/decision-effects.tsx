import type { ReactNode } from 'react';
import { countText } from '../values/money-text';
import { effectWords, type Effects } from '../words/decision-words';

/** More lines than these would not be read in a dialog. */
const LINES = 10;

/** What decisions will change, as a dry run has it. */
export function DecisionEffects({ result }: { readonly result: Effects }): ReactNode {
  const words = effectWords(result).slice(0, LINES);
  const { records_total: total } = result.effects;
  const rest = total - words.length;
  return (
    <>
      <p>
        Dry run: {result.isUpperBound === true && 'at most '}
        {total === 0 ? 'no' : countText(total)} {total < 2 ? 'record moves' : 'records move'} to another
        object. Nothing is sent to a platform.
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
