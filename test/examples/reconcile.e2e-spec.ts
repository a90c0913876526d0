import { reconcile } from '../../examples/reconcile';
import { startApp, type RunningApp } from '../support/app/app';

jest.setTimeout(120_000);

describe('the reconciliation of two sandboxes', () => {
  let app: RunningApp;
  beforeAll(async () => {
    app = await startApp();
  });
  afterAll(() => app.close());

  it('gets the results that it prints', async () => {
    const lines: string[] = [];
    await reconcile(app.url, (line) => lines.push(line));
    const sums = [
      'statement in minor units of USD, complete',
      '  contract: 2560845124, -672023025 only_on_platform_a, 112000000 only_on_platform_b = 2000822099',
      '  invoice: 493135000, -16650000 only_on_platform_a, 18000000 only_on_platform_b = 494485000',
      '  payment: 283565081, -30000000 only_on_platform_a, 10000000 only_on_platform_b = 263565081',
    ];
    expect(lines).toEqual([
      ...sums,
      'what is behind it:',
      '  12 only_on',
      '  3 disagreement',
      '  platform_a says "PO-DCH  014"',
      '  platform_b says "PO-DCH 014"',
      'linked by a run: unique_key 1, both keys are "po-dch 014"',
      'platform_a would be applied, number = "PO-DCH 014"',
      'platform_b would be unchanged',
      'settled: platform_a applied, platform_b unchanged',
      'too late with the version of before: number, title differ',
      ...sums,
      'disagreements: 3 before, 2 now',
      'history: changed by a propagation, 2 fields',
      'history: changed by a run, 3 fields',
      expect.stringMatching(/^history: appeared by a run, \d+ fields$/),
      'as of the first statement it had 1 disagreement',
      'parted: 1 record has a new object',
      'withdrawn: 2 records are one again',
      'csv: file,reconciliation statement',
      expect.stringMatching(/^csv: customer,[0-9a-f-]{36},.+$/),
      'csv: filter entity_type,payment',
      'csv: platforms,platform_a to platform_b',
    ]);
  });
});
