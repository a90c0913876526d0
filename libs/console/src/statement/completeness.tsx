import type { ReactNode } from 'react';
import type { ReadStatement } from '../data/queries';
import { isOfNow } from './statement-words';

/** Whether a statement is complete, or what is missing from it. */
export function Completeness({ statement }: { readonly statement: ReadStatement }): ReactNode {
  const { complete, reasons, missing_rates: missing } = statement;
  return (
    <>
      {complete ? (
        <p className="note good">
          <span aria-hidden="true">● </span>Complete: both platforms were read wholly, and every figure
          includes what was read.
        </p>
      ) : (
        <div className="note warning">
          <p>
            <span aria-hidden="true">▲ </span>
            <strong>Incomplete.</strong>{' '}
            {isOfNow(statement) ? 'The figures below may change:' : 'At that time:'}
          </p>
          <ul>
            {reasons.map(({ reason, platform, detail }) => (
              <li key={`${reason} ${platform}`}>{detail}</li>
            ))}
          </ul>
        </div>
      )}
      {missing.length > 0 && (
        <p className="note warning">
          <span aria-hidden="true">▲ </span>
          No rate leads from {missing.join(', ')} to {statement.currency}. Records in{' '}
          {missing.length > 1 ? 'these currencies' : 'this currency'} are in no sum.
        </p>
      )}
    </>
  );
}
