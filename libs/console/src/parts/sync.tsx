import { useEffect, useState, type ReactNode } from 'react';
import { useMay, type Connection, type Platform } from '../data/queries';
import type { Sync } from './use-sync';
import { ErrorNote } from './error-note';
import { AriaDisabledButton } from './aria-disabled-button';
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

/** When the reading that is under way began, in milliseconds since 1970; undefined when there is none. */
export function readingSince(
  platform: Platform,
  connection: Connection | undefined,
  { under }: Sync,
): number | undefined {
  if (connection?.sync?.status === 'running') return Date.parse(connection.sync.started_at);
  return under?.platform === platform ? under.since : undefined;
}

interface SyncProgressProps {
  /** Milliseconds since 1970. */
  readonly since: number;
  /** Undefined until the platform is connected. */
  readonly connection: Connection | undefined;
}

/** How long a reading takes, and what it has read. No bar: nobody knows how many records there are before they are read. */
export function SyncProgress({ since, connection }: SyncProgressProps): ReactNode {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 500);
    return () => clearInterval(timer);
  }, []);
  // Before the new reading shows, the connection still has the records of the one before.
  const records = connection?.sync?.status === 'running' ? connection.sync.records_read : undefined;
  return (
    <>
      <span aria-hidden="true">◌ </span>Reading for {spanText(now - since)}
      {records !== undefined && `, ${countText(records)} records so far`}
    </>
  );
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
