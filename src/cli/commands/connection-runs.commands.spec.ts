import { Readable } from 'node:stream';
import { Command } from 'commander';
import type { ConnectionTest } from '../../platforms/connector';
import { noCounts, type RunRequest, type TypeCounts } from '../../sync/run/run';
import type { RunEnd } from '../../sync/run/run-end';
import type { Access, Operator } from '../operator';
import { outputTo } from '../output';
import { addConnectionRuns } from './connection-runs.commands';

const customer = '8b0f2c1e-7f0d-4d52-9d6b-6f6c2a9f4a11';
const of = ['--customer', customer, '--platform', 'platform_a'];
const end: RunEnd = {
  mode: 'live',
  whole: true,
  acceptDeletions: false,
  counts: { ...noCounts(), payment: 40, project: 2 },
  report: {
    complete: false,
    whole: true,
    gaps: ['project 7: payments (403)'],
    calls: 12,
    limited: 1,
    deleted: 3,
    deletionsHeld: 9,
  },
};

/** Runs a command on parts of the service that answer this; what it printed and what it asked for. */
async function run(
  args: readonly string[],
  { budget = { calls: 31, minutesAtLimit: 2.5 }, test = { ok: true, message: 'It works' } } = {},
) {
  const printed = { out: '', err: '' };
  const asked: unknown[] = [];
  const operator = {
    customers: { get: (id: string) => Promise.resolve({ id, kind: 'standard' }) },
    sync: {
      complete: (name: object, request: RunRequest, progressed: (counts: TypeCounts) => void) => {
        asked.push(name, request);
        const late = jest.spyOn(performance, 'now').mockReturnValue(performance.now() + 5_000);
        progressed(end.counts);
        late.mockRestore();
        return Promise.resolve(end);
      },
    },
    checks: {
      estimate: (name: object, whole: boolean) => {
        asked.push(name, whole);
        return Promise.resolve({ mode: 'live', budget });
      },
      test: (): Promise<ConnectionTest> => Promise.resolve(test),
    },
  } as unknown as Operator; // The commands work with these parts alone.
  const access: Access = {
    operate: (work) => work(operator),
    reach: () => Promise.reject(new Error()),
    input: Readable.from([]),
  };
  const root = new Command('cli').exitOverride().configureOutput({ writeErr: () => undefined });
  const connections = root.command('connections');
  addConnectionRuns(
    connections,
    access,
    outputTo(
      (text) => (printed.out += text),
      (text) => (printed.err += text),
    ),
  );
  await root.parseAsync(['connections', ...args], { from: 'user' });
  return { ...printed, asked };
}

describe('connections sync', () => {
  const name = { customerId: customer, platform: 'platform_a' };

  it('waits for the end, says how far it is, and what came of it', async () => {
    const { out, err, asked } = await run(['sync', ...of]);
    expect(asked).toEqual([name, { whole: false, acceptDeletions: false }]);
    expect(err).toBe('Read 42 records\n');
    expect(out.split('\n')).toEqual([
      '42 records; everything was read in 12 calls, 1 refused by limits',
      'Not everything could be read',
      '  project 7: payments (403)',
      '3 records are gone and were marked as deleted',
      '9 records are gone, too many at once: accept it with --full --accept-deletions',
      '',
    ]);
  });

  it('passes on what is asked for', async () => {
    const { asked } = await run(['sync', ...of, '--full', '--accept-deletions']);
    expect(asked).toEqual([name, { whole: true, acceptDeletions: true }]);
  });

  it('prints one line of JSON and nothing else', async () => {
    const { out, err } = await run(['sync', ...of, '--json']);
    expect(err).toBe('');
    expect(JSON.parse(out)).toEqual({
      platform: 'platform_a',
      mode: 'live',
      records: end.counts,
      whole: true,
      complete: false,
      gaps: ['project 7: payments (403)'],
      calls: 12,
      limited: 1,
      deleted: 3,
      deletions_held: 9,
    });
  });

  it('only counts calls with --dry-run', async () => {
    const { out, asked } = await run(['sync', ...of, '--full', '--dry-run']);
    expect(asked).toEqual([name, true]);
    expect(out).toBe('About 31 calls, 2.5 minutes at the limit\n');
    expect(JSON.parse((await run(['sync', ...of, '--dry-run', '--json'])).out)).toEqual({
      platform: 'platform_a',
      mode: 'live',
      calls: 31,
      minutes_at_limit: 2.5,
    });
  });

  it.each([[['--accept-deletions']], [['--full', '--accept-deletions', '--dry-run']]])(
    'refuses %s',
    async (options) => {
      await expect(run(['sync', ...of, ...options])).rejects.toThrow('--accept-deletions goes with --full');
    },
  );
});

describe('connections test', () => {
  it('says in one line what works, or what is wrong', async () => {
    expect((await run(['test', ...of])).out).toBe('It works\n');
    const wrong = { test: { ok: false, message: 'platform_a does not accept the credentials' } };
    await expect(run(['test', ...of], wrong)).rejects.toThrow('platform_a does not accept the credentials');
  });
});
