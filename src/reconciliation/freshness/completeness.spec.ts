import { gapsOf } from './completeness';

const report = {
  complete: true,
  whole: true,
  gaps: [],
  calls: 0,
  limited: 0,
  deleted: 0,
  deletionsHeld: 0,
} as const;
const run = { platform: 'platform_a', status: 'done', report, error: undefined } as const;

describe('what keeps a statement from being complete', () => {
  const reasonsOf = (...runs: Parameters<typeof gapsOf>[2]) =>
    gapsOf(['platform_a'], new Set(['platform_a']), runs).map(({ reason }) => reason);

  it('is nothing after a whole reading', () => {
    expect(reasonsOf(run)).toEqual([]);
  });

  it.each([
    ['a run under way', [{ ...run, status: 'running' }, run], ['run_under_way']],
    ['a failed run', [{ ...run, status: 'failed' }], ['run_failed']],
    ['a gap', [{ ...run, report: { ...report, complete: false } }], ['not_read_whole']],
    ['deletions that wait', [{ ...run, report: { ...report, deletionsHeld: 3 } }], ['deletions_held']],
  ] as const)('is %s', (_name, runs, expected) => {
    expect(reasonsOf(...runs)).toEqual(expected);
  });

  it('is told in words, with what the platform said', () => {
    const detailOf = (one: Parameters<typeof gapsOf>[2][number]) =>
      gapsOf(['platform_a'], new Set(['platform_a']), [one]).map(({ detail }) => detail);
    const failed = { ...run, status: 'failed' } as const;
    const unread = (gaps: readonly string[]) => ({ ...run, report: { ...report, complete: false, gaps } });
    expect(detailOf({ ...run, status: 'running' })).toEqual(['platform_a is being read']);
    expect(detailOf({ ...failed, error: { message: 'it was down' } as never })).toEqual([
      'the last reading of platform_a failed: it was down',
    ]);
    expect(detailOf(failed)).toEqual(['the last reading of platform_a failed: no reason is known']);
    expect(detailOf(unread(['invoices', 'payments']))).toEqual([
      'platform_a could not be read whole: invoices; payments',
    ]);
    expect(detailOf(unread([]))).toEqual(['platform_a could not be read whole: no reason is known']);
    expect(detailOf({ ...run, report: { ...report, deletionsHeld: 3 } })).toEqual([
      '3 records of platform_a seem to be deleted; a person must accept this',
    ]);
  });

  it('follows from its own last run that has ended, whatever runs now', () => {
    const failed = { ...run, status: 'failed' } as const;
    const running = { ...run, status: 'running' } as const;
    expect(reasonsOf(running, failed, run)).toEqual(['run_under_way', 'run_failed']);
    expect(reasonsOf(run, failed)).toEqual([]);
    expect(reasonsOf({ ...failed, platform: 'platform_b' }, run)).toEqual([]);
    // A run that is under way has read only a part so far, and a failed one is no reading.
    const partial = { ...report, complete: false };
    expect(reasonsOf({ ...running, report: partial })).toEqual(['run_under_way']);
    expect(reasonsOf({ ...failed, report: partial })).toEqual(['run_failed']);
  });

  it('is a platform that is not connected', () => {
    expect(gapsOf(['platform_a'], new Set(), [])).toEqual([
      { reason: 'not_connected', platform: 'platform_a', detail: 'platform_a is not connected' },
    ]);
  });
});
