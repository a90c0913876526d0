import { useEffect, useId, useState, type ReactNode } from 'react';
import { useMay, type Connection, type Platform } from '../data/queries';
import { ErrorNote } from '../parts/error-note';
import { Instant } from '../parts/values/instant';
import { countText } from '../parts/values/money-text';
import { spanText } from '../parts/values/time-text';
import type { Sync } from './use-sync';

interface ConnectionCardProps {
  readonly platform: Platform;
  /** Undefined when the platform is not connected. */
  readonly connection: Connection | undefined;
  readonly sync: Sync;
}

const stateWords: Readonly<Record<Connection['status'], readonly [mark: string, words: string]>> = {
  active: ['●', 'active'],
  connecting: ['◌', 'connecting: nothing of it shows before it was read once'],
  failing: ['▲', 'failing: what the last whole reading found still stands'],
};

/** One platform: its state, its last reading, and a way to read it now. */
export function ConnectionCard({ platform, connection, sync }: ConnectionCardProps): ReactNode {
  const heading = useId();
  const since = sinceWhen(platform, connection, sync);
  return (
    <section className="card" aria-labelledby={heading}>
      <div className="page-head">
        <h2 id={heading}>{platform}</h2>
        {useMay('write') && (
          <button type="button" disabled={sync.under !== undefined} onClick={() => sync.start(platform)}>
            {connection === undefined ? 'Connect' : 'Sync now'}
            <span className="hidden"> {platform}</span>
          </button>
        )}
      </div>
      {since !== undefined && <Progress since={since} records={connection?.sync?.records_read} />}
      {sync.failed?.platform === platform && (
        <ErrorNote error={sync.failed.error} retry={() => sync.start(platform)} />
      )}
      {connection === undefined ? <p>Not connected.</p> : <Facts connection={connection} />}
    </section>
  );
}

/** When the reading that is under way began, in milliseconds since 1970; undefined when there is none. */
function sinceWhen(
  platform: Platform,
  connection: Connection | undefined,
  { under }: Sync,
): number | undefined {
  if (connection?.sync?.status === 'running') return Date.parse(connection.sync.started_at);
  return under?.platform === platform ? under.since : undefined;
}

/** No bar: nobody knows how many records there are before they are read. */
function Progress({
  since,
  records,
}: {
  readonly since: number;
  readonly records: number | undefined;
}): ReactNode {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 500);
    return () => clearInterval(timer);
  }, []);
  return (
    <p className="note">
      <span aria-hidden="true">◌ </span>Reading for {spanText(now - since)}
      {records !== undefined && `, ${countText(records)} records so far`}
    </p>
  );
}

function Facts({ connection }: { readonly connection: Connection }): ReactNode {
  const {
    status,
    mode,
    entities_synced: records,
    last_synced_at: last,
    sync,
    last_error: error,
  } = connection;
  const [mark, words] = stateWords[status];
  return (
    <>
      <dl className="facts">
        <div>
          <dt>State</dt>
          <dd>
            <span aria-hidden="true">{mark}</span> {words}
          </dd>
        </div>
        <div>
          <dt>Mode</dt>
          <dd>{mode}</dd>
        </div>
        <div>
          <dt>Records</dt>
          <dd>{countText(records)}</dd>
        </div>
        <div>
          <dt>Last read</dt>
          <dd>{last === null ? 'not yet' : <Instant at={last} />}</dd>
        </div>
        <div>
          <dt>Whole</dt>
          <dd>{sync === null ? 'not known' : sync.complete ? 'yes' : 'no'}</dd>
        </div>
      </dl>
      {error !== null && (
        <p className="note error">
          <strong>{error.message}</strong> <span className="quiet">{error.type}</span>
        </p>
      )}
      {sync !== null && sync.gaps.length > 0 && (
        <div className="note warning">
          <p>
            <span aria-hidden="true">▲ </span>Parts of the platform could not be read:
          </p>
          <ul>
            {sync.gaps.map((gap) => (
              <li key={gap}>{gap}</li>
            ))}
          </ul>
        </div>
      )}
      {sync !== null && sync.deletions_held > 0 && (
        <p className="note warning">
          <span aria-hidden="true">▲ </span>
          {countText(sync.deletions_held)} records seem to be gone from the platform, too many at once. They
          stay until the operator accepts their deletion.
        </p>
      )}
    </>
  );
}
