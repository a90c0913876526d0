import { useState, type ReactNode } from 'react';
import { useMe, type Connection, type Platform, type ReadStatement } from '../data/queries';
import type { Sync } from '../parts/use-sync';
import { CopyButton } from '../parts/copy-button';
import { readingSince, SyncButton, SyncFailure, SyncProgress } from '../parts/sync';
import { Instant } from '../parts/values/instant';
import { countText } from '../parts/values/money-text';
import { isWorthReading } from './reading-age';
import { isOfNow } from './statement-words';
import { ScopeFacts } from './scope-facts';

interface StatementFactsProps {
  readonly statement: ReadStatement;
  /** Undefined until they are known; null where they could not be read. */
  readonly connections: readonly Connection[] | null | undefined;
  readonly sync: Sync;
}

/**
 * What heads a statement, also on paper: whose, as of when, up to which day, by which digest; and of a statement of now, when the
 * platforms were read.
 */
export function StatementFacts({ statement, connections, sync }: StatementFactsProps): ReactNode {
  const customer = useMe().data?.customer.name;
  const readingOf = (platform: Platform): ReactNode => {
    if (connections === undefined) return '…';
    if (connections === null) return 'could not be read';
    const connection = connections.find((one) => one.platform === platform);
    if (connection === undefined) return 'not connected';
    return <Reading connection={connection} sync={sync} />;
  };
  return (
    <>
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
      </dl>
      {/* On a line of their own, because they come last: nothing moves when they do. */}
      {isOfNow(statement) && (
        <dl className="facts">
          {statement.platforms.map((platform) => (
            <div key={platform} className="reading">
              <dt>{platform}</dt>
              <dd>{readingOf(platform)}</dd>
            </div>
          ))}
        </dl>
      )}
    </>
  );
}

interface ReadingProps {
  readonly connection: Connection;
  readonly sync: Sync;
}

/** When a platform was read, or how far its reading is; and a way to read it now where that is worth it. */
function Reading({ connection, sync }: ReadingProps): ReactNode {
  const { platform, entities_synced: records, last_synced_at: at } = connection;
  const since = readingSince(platform, connection, sync);
  const isWorthIt = isWorthReading(connection, Date.now());
  // A button that was there stays: the focus may be on it when the reading ends.
  const [wasWorthIt] = useState(isWorthIt);
  return (
    <>
      {since === undefined ? (
        <>
          {countText(records)} records, {at === null ? 'not read yet' : <Instant at={at} />}
        </>
      ) : (
        <SyncProgress since={since} connection={connection} />
      )}{' '}
      {(isWorthIt || wasWorthIt) && <SyncButton platform={platform} act="Sync now" sync={sync} isSmall />}
      <SyncFailure platform={platform} sync={sync} />
    </>
  );
}
