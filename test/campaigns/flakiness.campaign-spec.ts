// The suite's files run in random order, in random company and beside processes that spin; the unit tests in random order too; those
// over HTTP also with statements and answers that take their time: all are green.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fc } from '../../libs/mapper/src/testing/property';
import { campaign } from '../support/campaign';

const ROOT = join(__dirname, '../..');

/** The number of files that run together. */
const FILES = { unit: 30, e2e: 4 } as const;
type Project = keyof typeof FILES;

/** The program of a process that uses one core until it is ended or its parent is gone. */
const spin = `while (process.ppid === ${process.pid});`;

/** The part of Jest's report that this file reads. */
interface JestReport {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    readonly message: string;
    readonly assertionResults: readonly { readonly status: string; readonly fullName: string }[];
  }[];
}

const folders: Readonly<Record<Project, readonly string[]>> = {
  unit: ['src', 'libs', 'tools', 'bench'],
  e2e: ['test'],
};
const suffixes = { unit: '.spec.ts', e2e: '.e2e-spec.ts' } as const;

/**
 * Paths of the test files of a project. Files that wait or measure are left out, because they need the machine to
 * themselves.
 */
function filesOf(project: Project): readonly string[] {
  return folders[project].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith(suffixes[project]))
      .map((file) => join(ROOT, folder, file))
      .toSorted(),
  );
}

/** All files of a project in random order, in groups that run together; then all of them in another order. */
function* companies(project: Project, seeds: Iterable<number>): Generator<[number, readonly string[]]> {
  const all = filesOf(project);
  let waiting: readonly string[] = [];
  for (const seed of seeds) {
    if (waiting.length === 0) {
      [waiting = []] = fc.sample(fc.shuffledSubarray([...all], { minLength: all.length }), {
        seed,
        numRuns: 1,
      });
    }
    yield [seed, waiting.slice(0, FILES[project])];
    waiting = waiting.slice(FILES[project]);
  }
}

campaign('flakiness', (campaign) => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'flakiness-'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  /**
   * Runs files in an order that follows from the seed, beside two processes that use the processor.
   *
   * @param slowness settings that delay statements and answers to the console
   */
  async function run(
    project: Project,
    files: readonly string[],
    seed: number,
    slowness: Readonly<Record<string, string>>,
  ): Promise<JestReport> {
    const report = join(folder, `${project}-${seed}.json`);
    const spinning = [0, 1].map(() => spawn(process.execPath, ['-e', spin], { stdio: 'ignore' }));
    try {
      const jest = spawn(
        process.execPath,
        [
          ...[join(ROOT, 'node_modules/jest/bin/jest.js'), '--selectProjects', project, '--maxWorkers=2'],
          ...['--testSequencer', join(ROOT, 'test/support/shuffled-sequencer.cjs')],
          // Unit tests are independent. Tests over HTTP often depend on the order within their file.
          ...(project === 'unit' ? ['--randomize', '--seed', String(seed % 2 ** 31)] : []),
          ...['--silent', '--json', '--outputFile', report, '--runTestsByPath', ...files],
        ],
        { cwd: ROOT, stdio: 'ignore', env: { ...process.env, ...slowness, FC_SEED: String(seed) } },
      );
      await once(jest, 'exit');
    } finally {
      for (const one of spinning) one.kill('SIGKILL');
    }
    return JSON.parse(readFileSync(report, 'utf8')) as JestReport; // As Jest documents it.
  }

  for (const [what, project, slowness] of [
    ['unit', 'unit', {}],
    ['e2e', 'e2e', {}],
    ['slow e2e', 'e2e', { SLOW_STATEMENTS: '80', SLOW_ANSWERS: '1000' }],
  ] as const) {
    campaign.part(`${what} tests are green in any order`, async (time) => {
      const told: object[] = [];
      for (const [seed, files] of companies(project, time.seeds())) {
        const { numPassedTests, numFailedTests, testResults } = await run(project, files, seed, slowness);
        campaign.count(`${what}: files`, testResults.length);
        campaign.count(`${what}: tests`, numPassedTests + numFailedTests);
        const failed = testResults.filter(({ status }) => status !== 'passed');
        campaign.count(`${what}: failed files`, failed.length);
        for (const { name, message } of failed) {
          const company = files.map((file) => relative(ROOT, file));
          told.push({ seed, company, failed: `${relative(ROOT, name)}\n${message}` });
        }
      }
      expect(told).toEqual([]);
    });
  }
});
