import type { StoredEntityType } from '@app/mapper';
import { beginning, type Progress } from './checkpoints.repository';
import { reportOf } from './run-report';

describe('the report of a run', () => {
  it('names a gap of several types once', () => {
    const read = (...gaps: string[]): Progress => ({ ...beginning, complete: true, gaps });
    const seen = new Map<StoredEntityType, Progress>([
      ['contract', read('project 7 (not to be seen)', 'project 8: work_order_contracts (403)')],
      ['payment', read('project 7 (not to be seen)')],
    ]);
    expect(reportOf(seen, new Map())).toMatchObject({
      complete: false,
      gaps: ['project 7 (not to be seen)', 'project 8: work_order_contracts (403)'],
    });
  });

  it('has another character in the place of what cannot be stored of a name', () => {
    const seen = new Map<StoredEntityType, Progress>([
      ['payment', { ...beginning, gaps: ['journal G\0\ud83d: customerPayments (403)'] }],
    ]);
    expect(reportOf(seen, new Map()).gaps).toEqual(['journal G\ufffd\ufffd: customerPayments (403)']);
  });

  it('has of a long gap what can be stored', () => {
    const gaps = [`${'x'.repeat(299)}👍👍`, `${'y'.repeat(298)}👍👍`];
    const seen = new Map<StoredEntityType, Progress>([['contract', { ...beginning, gaps }]]);
    expect(reportOf(seen, new Map()).gaps).toEqual([`${'x'.repeat(299)}…`, `${'y'.repeat(298)}…`]);
  });
});
