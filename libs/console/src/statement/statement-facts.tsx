import type { ReactNode } from 'react';
import { useMe, type Connection, type ReadStatement } from '../data/queries';
import { CopyButton } from '../parts/copy-button';
import { Instant } from '../parts/values/instant';
import { countText } from '../parts/values/money-text';
import { ScopeFacts } from './scope-facts';

interface StatementFactsProps {
  readonly statement: ReadStatement;
  /** Undefined until they are known. */
  readonly connections: readonly Connection[] | undefined;
}

/** What heads a statement, also on paper: whose, as of when, up to which day, by which digest. */
export function StatementFacts({ statement, connections }: StatementFactsProps): ReactNode {
  const customer = useMe().data?.customer.name;
  return (
    <dl className="facts">
      <div className="on-paper">
        <dt>Customer</dt>
        <dd>{customer}</dd>
      </div>
      <ScopeFacts statement={statement} />
      <div>
        <dt>Digest</dt>
        <dd>
          <code className="digest">{statement.digest}</code>{' '}
          <CopyButton text={statement.digest} what="digest" />
        </dd>
      </div>
      <div className="on-paper">
        <dt>Request</dt>
        <dd>{statement.requestId}</dd>
      </div>
      {/* Last, because they come last: nothing moves when they do. */}
      {statement.platforms.map((platform) => (
        <div key={platform}>
          <dt>{platform}</dt>
          <dd>
            {readingOf(
              connections?.find((one) => one.platform === platform),
              connections !== undefined,
            )}
          </dd>
        </div>
      ))}
    </dl>
  );
}

function readingOf(connection: Connection | undefined, isKnown: boolean): ReactNode {
  if (!isKnown) return '…';
  if (connection === undefined) return 'not connected';
  const { entities_synced: records, last_synced_at: at } = connection;
  return (
    <>
      {countText(records)} records, {at === null ? 'not read yet' : <Instant at={at} />}
    </>
  );
}
