// The suite's tests run in random order and in random company, half of them beside the other half on a machine that is too
// small for both; those over HTTP also with slow statements, answers and scripts of the browser: all are green.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fc } from '../../libs/mapper/src/testing/property';
import { campaign } from '../support/campaign/campaign';

const ROOT = join(__dirname, '../..');

/** The number of files that run together. */
const FILES = { unit: 90, e2e: 24 } as const;
type Project = keyof typeof FILES;

/** What makes the tests over HTTP slow, and the time that a test has then if its file names none. */
const SLOW = {
  settings: { SLOW_STATEMENTS: '80', SLOW_ANSWERS: '1000', SLOW_BROWSER: '2' },
  options: ['--testTimeout', '120000'],
} as const;
const AS_USUAL = { settings: {}, options: [] } as const;

/** What a part runs: its name, the files, and how fast the machine seems to be. */
type Kind = readonly [what: string, project: Project, pace: typeof SLOW | typeof AS_USUAL];

const kinds: readonly Kind[] = [
  ['unit', 'unit', AS_USUAL],
  ['e2e', 'e2e', AS_USUAL],
  ['slow e2e', 'e2e', SLOW],
];

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
  const running = new Set<ChildProcess>();
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'flakiness-'));
  });
  afterAll(async () => {
    // Runs that a part has left behind. Jest ends its servers on this signal.
    for (const jest of running) jest.kill('SIGINT');
    await Promise.all([...running].map((jest) => once(jest, 'exit')));
    await rm(folder, { recursive: true });
  });

  /**
   * Runs files in an order that follows from the seed, and the tests of each file too.
   *
   * @returns the exit code, and the report unless Jest ended before it wrote one
   */
  async function run(
    [what, project, { settings, options }]: Kind,
    files: readonly string[],
    seed: number,
  ): Promise<{ readonly code: number | null; readonly report: JestReport | undefined }> {
    const report = join(folder, `${what}-${seed}.json`);
    const jest = spawn(
      process.execPath,
      [
        ...[join(ROOT, 'node_modules/jest/bin/jest.js'), '--selectProjects', project, '--maxWorkers=2'],
        ...['--testSequencer', join(ROOT, 'test/support/jest/shuffled-sequencer.cjs')],
        ...['--randomize', '--seed', String(seed % 2 ** 31), ...options],
        ...['--silent', '--json', '--outputFile', report, '--runTestsByPath', ...files],
      ],
      { cwd: ROOT, stdio: 'ignore', env: { ...process.env, ...settings, FC_SEED: String(seed) } },
    );
    running.add(jest);
    await once(jest, 'exit');
    running.delete(jest);
    const isWritten = existsSync(report);
    return {
      code: jest.exitCode,
      report: isWritten ? (JSON.parse(readFileSync(report, 'utf8')) as JestReport) : undefined, // As Jest documents it.
    };
  }

  for (const kind of kinds) {
    const [what, project] = kind;
    campaign.part(`${what} tests are green in any order`, async (time) => {
      const told: object[] = [];
      const all = companies(project, time.seeds());
      const runInTurn = async (): Promise<void> => {
        for (const [seed, files] of all) {
          const tell = (failed: string): void => {
            process.stderr.write(`${seed} ${failed}\n`);
            told.push({ seed, failed, company: files.map((file) => relative(ROOT, file)) });
          };
          const { code, report } = await run(kind, files, seed);
          const results = report?.testResults ?? [];
          const failed = results.filter(({ status }) => status !== 'passed');
          campaign.count(`${what}: files`, results.length);
          campaign.count(`${what}: tests`, (report?.numPassedTests ?? 0) + (report?.numFailedTests ?? 0));
          campaign.count(`${what}: failed files`, failed.length);
          for (const { name, message } of failed) tell(`${relative(ROOT, name)}\n${message}`);
          if (results.length !== files.length || (code !== 0 && failed.length === 0)) {
            tell(`Jest ended with ${code ?? 'a signal'} after ${results.length} of ${files.length} files`);
          }
        }
      };
      await Promise.all([runInTurn(), runInTurn()]);
      expect(told).toEqual([]);
    });
  }
});
