import type { Signoff } from '../../data/signoffs';
import { namesUnder } from './names-under';

const both: Signoff['platforms'] = ['platform_a', 'platform_b'];
const june = {
  digest: 'sha256:1',
  through: '2026-06-30',
  currency: 'USD',
  project_id: null,
  platforms: both,
};
const signoff = (id: string, of: Partial<Signoff>): Signoff => ({
  ...june,
  id,
  role: 'prepared',
  signed_by: 'Ada',
  note: null,
  signed_at: '2026-07-01T00:00:00Z',
  state: 'standing',
  withdrawn: null,
  as_of: '2026-07-01T00:00:00Z',
  entity_type: null,
  current: true,
  changes: [],
  changes_total: 0,
  compared: null,
  ...of,
});

describe('namesUnder', () => {
  it('tells names under exactly these figures from those under others of the scope', () => {
    const signoffs = [
      signoff('these', {}),
      signoff('others', { digest: 'sha256:2' }),
      signoff('July', { digest: 'sha256:3', through: '2026-07-31' }),
      signoff('payments', { digest: 'sha256:4', entity_type: 'payment' }),
      signoff('QAR', { digest: 'sha256:5', currency: 'QAR' }),
    ];
    const { these, others } = namesUnder(signoffs, { ...june, query: {} });
    expect([these.map(({ id }) => id), others.map(({ id }) => id)]).toEqual([['these'], ['others']]);
  });
});
