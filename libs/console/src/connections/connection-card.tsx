import { useId, type ReactNode } from 'react';
import type { Connection, Platform } from '../data/queries';
import type { Sync } from '../parts/use-sync';
import { readingSince, SyncButton, SyncFailure, SyncProgress } from '../parts/sync';
import { Instant } from '../parts/values/instant';
import { countText } from '../parts/values/money-text';

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
  const since = readingSince(platform, connection, sync);
  return (
    <section className="card" aria-labelledby={heading}>
      <div className="page-head">
        <h2 id={heading}>{platform}</h2>
        <SyncButton platform={platform} act={connection === undefined ? 'Connect' : 'Sync now'} sync={sync} />
      </div>
      {since !== undefined && (
        <p className="note">
          <SyncProgress since={since} connection={connection} />
        </p>
      )}
      <SyncFailure platform={platform} sync={sync} />
      {connection === undefined ? <p>Not connected.</p> : <Facts connection={connection} />}
    </section>
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
          <dd>{wholeWords(sync)}</dd>
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

/** Whether the last reading read everything. While one is under way, that is not known yet. */
function wholeWords(sync: Connection['sync']): string {
  if (sync === null) return 'not known';
  if (sync.status === 'running') return 'being read';
  return sync.complete ? 'yes' : 'no';
}
