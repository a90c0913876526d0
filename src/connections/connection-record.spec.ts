import { noCounts } from '../sync/run/run';
import type { KnownRun } from '../sync/run/run-history.repository';
import type { VisibleConnection } from '../sync/run/connection-state';
import { connectionRecord } from './connection-record';

const at = (minute: number): Date => new Date(Date.UTC(2026, 0, 1, 12, minute));

function run(status: KnownRun['status'], minute: number, more: Partial<KnownRun> = {}): KnownRun {
  return {
    platform: 'platform_a',
    mode: 'live',
    status,
    startedAt: at(minute),
    read: { ...noCounts(), payment: 7, invoice: 5 },
    report: { complete: true, whole: true, gaps: [], calls: 0, limited: 0, deleted: 0, deletionsHeld: 0 },
    error: undefined,
    isOutdated: false,
    ...more,
  };
}

const refused = { type: 'EXTERNAL_SERVICE_ERROR', message: 'platform_a cannot be reached' } as const;
const visible: VisibleConnection = {
  mode: 'live',
  connectedAt: at(1),
  syncedAt: at(2),
  entitiesSynced: 12,
};
const record = (shown: VisibleConnection | undefined, ...runs: KnownRun[]) =>
  connectionRecord('platform_a', shown, runs);

describe('connectionRecord', () => {
  it('shows a live platform from its first run on', () => {
    expect(record(undefined, run('running', 3))).toEqual({
      platform: 'platform_a',
      status: 'connecting',
      connected_at: '2026-01-01T12:03:00.000Z',
      entities_synced: 0,
      mode: 'live',
      last_synced_at: null,
      sync: {
        status: 'running',
        started_at: '2026-01-01T12:03:00.000Z',
        records_read: 12,
        complete: false,
        gaps: [],
        deleted: 0,
        deletions_held: 0,
      },
      last_error: null,
    });
  });

  it('shows no sandbox before it is connected', () => {
    expect(record(undefined, run('running', 3, { mode: 'sandbox' }))).toBeUndefined();
    expect(record(undefined)).toBeUndefined();
  });

  it('is active while a later run reads', () => {
    expect(record(visible, run('running', 9), run('done', 2))).toMatchObject({
      status: 'active',
      connected_at: '2026-01-01T12:01:00.000Z',
      last_synced_at: '2026-01-01T12:02:00.000Z',
      entities_synced: 12,
      sync: { status: 'running', complete: false },
    });
  });

  it('is failing from a run that failed until one is done', () => {
    const failed = run('failed', 5, { error: refused });
    const failing = { status: 'failing', last_error: refused, last_synced_at: '2026-01-01T12:02:00.000Z' };
    expect(record(visible, failed)).toMatchObject({ ...failing, sync: { status: 'failed' } });
    expect(record(visible, run('running', 6), failed)).toMatchObject({
      ...failing,
      sync: { status: 'running' },
    });
    expect(record(undefined, failed)).toMatchObject({ status: 'failing', last_synced_at: null });
    expect(record(visible, run('done', 7))).toMatchObject({ status: 'active', last_error: null });
  });

  it('does not fail by a run whose credentials were replaced, unless nothing else was read', () => {
    const outdated = run('failed', 5, { error: refused, isOutdated: true });
    const failed = run('failed', 4, { error: refused });
    expect(record(visible, outdated)).toMatchObject({ status: 'active', last_error: null });
    expect(record(visible, outdated, run('done', 2))).toMatchObject({ status: 'active', last_error: null });
    expect(record(visible, outdated, failed)).toMatchObject({ status: 'failing', last_error: refused });
    expect(record(undefined, run('running', 6), outdated)).toMatchObject({
      status: 'connecting',
      last_error: null,
    });
    expect(record(undefined, outdated)).toMatchObject({ status: 'failing', last_error: refused });
    const sandbox = { ...visible, mode: 'sandbox' as const };
    expect(record(sandbox, outdated, run('done', 2, { mode: 'sandbox' }))).toMatchObject({
      status: 'failing',
      mode: 'live',
    });
  });

  it('is connecting when a platform is read for the first time that had a sandbox', () => {
    const sandbox = { ...visible, mode: 'sandbox' as const };
    expect(record(sandbox, run('running', 9))).toMatchObject({ status: 'connecting', mode: 'live' });
    expect(record(sandbox, run('done', 2, { mode: 'sandbox' }))).toMatchObject({
      status: 'active',
      mode: 'sandbox',
    });
  });

  it('says what could not be read, and what waits for a person', () => {
    const report = { ...run('done', 2).report, complete: false, gaps: ['project 7'], deletionsHeld: 3 };
    expect(record(visible, run('done', 2, { report }))?.sync).toMatchObject({
      status: 'done',
      complete: false,
      gaps: ['project 7'],
      deletions_held: 3,
    });
  });

  it('knows no run of a connection that an earlier release has made', () => {
    expect(record(visible)).toMatchObject({ status: 'active', mode: 'live', sync: null, last_error: null });
  });
});
