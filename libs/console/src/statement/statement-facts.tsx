import type { ReactNode } from 'react';
import { useMe, type Connection, type ReadStatement } from '../data/queries';
import { CopyButton } from '../parts/copy-button';
import { typeWords } from '../parts/words/figure-words';
import { Instant } from '../parts/values/instant';
import { countText } from '../parts/values/money-text';

interface StatementFactsProps {
  readonly statement: ReadStatement;
  /** Undefined until they are known. */
  readonly connections: readonly Connection[] | undefined;
}

/** What heads a statement, also on paper: whose, as of when, up to which day, by which digest. */
export function StatementFacts({ statement, connections }: StatementFactsProps): ReactNode {
  const { entity_type: type } = statement.query;
  const customer = useMe().data?.customer.name;
  return (
    <dl className="facts">
      <div className="on-paper">
        <dt>Customer</dt>
        <dd>{customer}</dd>
      </div>
      <div>
        <dt>As of</dt>
        <dd>
          <Instant at={statement.as_of} />
        </dd>
      </div>
      <div>
        <dt>Documents through</dt>
        <dd>{statement.through ?? 'all'}</dd>
      </div>
      <div>
        <dt>Currency</dt>
        <dd>{statement.currency}</dd>
      </div>
      {type !== undefined && (
        <div>
          <dt>Type</dt>
          <dd>{typeWords[type]} only</dd>
        </div>
      )}
      {statement.project_id !== null && (
        <div>
          <dt>Project</dt>
          <dd className="name">{statement.project_id}</dd>
        </div>
      )}
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
