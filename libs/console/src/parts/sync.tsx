import { useEffect, useState, type ReactNode } from 'react';
import { useMay, type Connection, type Platform } from '../data/queries';
import type { Sync } from './use-sync';
import { ErrorNote } from './error-note';
import { AriaDisabledButton } from './aria-disabled-button';
import { Instant } from './values/instant';
import { countText } from './values/money-text';
import { spanText } from './values/time-text';

interface SyncButtonProps {
  readonly platform: Platform;
  readonly act: 'Connect' | 'Sync now';
  readonly sync: Sync;
  /** Whether it stands in a line of text. */
  readonly isSmall?: boolean;
}

/** Reads a platform now. Offered to keys that may. */
export function SyncButton({ platform, act, sync, isSmall = false }: SyncButtonProps): ReactNode {
  if (!useMay('write')) return null;
  return (
    <AriaDisabledButton
      className={isSmall ? 'small' : undefined}
      isOff={sync.under !== undefined}
      onClick={() => sync.start(platform)}
    >
      {act}
      <span className="hidden"> {platform}</span>
    </AriaDisabledButton>
  );
}

/**
 * When the sync in progress began; undefined if there is none. For a sync that this page has requested: milliseconds
 * since 1970 by this page's clock. For any other sync: the time of the service as text, from which no duration is
 * computed because the two clocks may differ.
 */
export function readingSince(
  platform: Platform,
  connection: Connection | undefined,
  { under }: Sync,
): number | string | undefined {
  if (under?.platform === platform) return under.since;
  return connection?.sync?.status === 'running' ? connection.sync.started_at : undefined;
}

interface SyncProgressProps {
  /** As {@link readingSince} has it. */
  readonly since: number | string;
  /** Undefined until the platform is connected. */
  readonly connection: Connection | undefined;
}

/**
 * Shows how long a sync has been running, and how many records it has read. It shows no progress bar, because the total
 * is unknown until all records are read.
 */
export function SyncProgress({ since, connection }: SyncProgressProps): ReactNode {
  // Before the new reading shows, the connection still has the records of the one before.
  const records = connection?.sync?.status === 'running' ? connection.sync.records_read : undefined;
  return (
    <>
      <span aria-hidden="true">◌ </span>Reading{' '}
      {typeof since === 'number' ? (
        <Elapsed since={since} />
      ) : (
        <>
          since <Instant at={since} />
        </>
      )}
      {records !== undefined && `, ${countText(records)} records so far`}
    </>
  );
}

function Elapsed({ since }: { readonly since: number }): ReactNode {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 500);
    return () => clearInterval(timer);
  }, []);
  return <>for {spanText(now - since)}</>;
}

/** Why the reading that was asked for failed, with a way to ask again. */
export function SyncFailure({
  platform,
  sync: { failed, start },
}: {
  readonly platform: Platform;
  readonly sync: Sync;
}): ReactNode {
  if (failed?.platform !== platform) return null;
  return <ErrorNote error={failed.error} retry={() => start(platform)} />;
}
