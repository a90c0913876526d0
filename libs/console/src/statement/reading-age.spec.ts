import type { Connection } from '../data/queries';
import { isWorthReading } from './reading-age';

const now = Date.parse('2026-02-02T12:00:00.000Z');
const connection: Connection = {
  platform: 'platform_a',
  status: 'active',
  connected_at: '2026-01-01T00:00:00.000Z',
  entities_synced: 38,
  mode: 'sandbox',
  last_synced_at: '2026-02-01T12:00:00.000Z',
  sync: {
    status: 'done',
    started_at: '2026-02-01T11:59:59.000Z',
    records_read: 38,
    complete: true,
    gaps: [],
    deleted: 0,
    deletions_held: 0,
  },
  last_error: null,
};
const { sync } = connection;

describe('a platform is worth being read', () => {
  it.each<[string, Partial<Connection>]>([
    ['that is live', { mode: 'live' }],
    ['whose reading is more than a day old', { last_synced_at: '2026-02-01T11:59:59.999Z' }],
    ['that was never read', { last_synced_at: null }],
    ['whose last reading failed', { status: 'failing' }],
    ['of which a part was not read', { sync: sync && { ...sync, complete: false } }],
    ['of whose reading nothing is known', { sync: null }],
  ])('%s', (_what, change) => {
    expect(isWorthReading({ ...connection, ...change }, now)).toBe(true);
  });

  it('but not a sandbox that was read wholly within a day', () => {
    expect(isWorthReading(connection, now)).toBe(false);
  });
});
