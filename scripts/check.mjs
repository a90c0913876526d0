import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureBrowser } from './browser.mjs';
import { runNode } from './child.mjs';
import { digestOf } from './digest.mjs';
import { root, tool } from './project.mjs';

/** Tests make many short-lived objects. With the usual 16 MB for young objects, collecting them is a tenth of the work. */
const ROOM_FOR_THE_YOUNG = '--max-semi-space-size=64';

/** A worker keeps something of each test file. Beyond this it is replaced, before collecting garbage stops it for a second. */
const MOST_OF_A_WORKER = '--workerIdleMemoryLimit=1GB';

/** Runs every check of the project, prints "N passed, N failed" as the last line and resolves to whether all passed. */
export async function check() {
  const reports = mkdtempSync(join(tmpdir(), 'translation-checks-'));
  const total = { passed: 0, failed: 0, skipped: 0 };
  const options = { env: environmentForTests() };
  console.log(`Random cases: FC_SEED=${options.env.FC_SEED}`);
  const noBrowser = await ensureBrowser();
  if (noBrowser !== undefined) console.log(noBrowser);

  async function step(name, run) {
    const start = performance.now();
    const { passed, failed, skipped, output } = await run();
    const counts = [`${passed} passed`, `${failed} failed`, ...(skipped ? [`${skipped} skipped`] : [])].join(
      ', ',
    );
    const seconds = ((performance.now() - start) / 1000).toFixed(1);
    if (failed > 0) console.log(output.trimEnd());
    console.log(`${failed > 0 ? 'FAILED' : 'ok    '}  ${name.padEnd(10)}  ${counts}  (${seconds} s)`);
    total.passed += passed;
    total.failed += failed;
    total.skipped += skipped;
  }

  async function tests(project, ...more) {
    const report = join(reports, `${project}.json`);
    const args = ['--selectProjects', project, '--ci', '--json', '--outputFile', report, ...more];
    // Tests of processes and limits look at the memory of the service as it usually runs.
    const room = project === 'processes' || project === 'limits' ? [] : [ROOM_FOR_THE_YOUNG];
    const { ok, output } = await runNode([...room, tool('jest'), ...args], options);
    return { ...countsOf(report, ok), output };
  }

  async function rule(script, args) {
    const { ok, output } = await runNode([script, ...args], { ...options, inBackground: true });
    return { passed: ok ? 1 : 0, failed: ok ? 0 : 1, skipped: 0, output };
  }

  async function rules() {
    for (const [name, script, ...args] of [
      ['format', tool('oxfmt'), '--check', '.'],
      ['lint', tool('oxlint'), '-c', 'oxlint.config.mjs', '.'],
      [
        'layers',
        tool('depcruise', 'dependency-cruiser'),
        '--config',
        '.dependency-cruiser.cjs',
        'src',
        'libs',
        'tools',
        'migrations',
      ],
      ['types', tool('tsc', '@typescript/native'), '--noEmit'],
      ['console', tool('tsc', '@typescript/native'), '-p', 'libs/console/tsconfig.json'],
    ]) {
      await step(name, () => rule(script, args));
    }
  }

  /** With more workers than cores the service under test would wait for the processor longer than it promises to answer. */
  async function behaviour() {
    const workers = `--maxWorkers=${availableParallelism()}`;
    await step('unit', () => tests('unit', workers));
    await step('end-to-end', () => tests('e2e', workers, MOST_OF_A_WORKER));
  }

  try {
    await Promise.all([behaviour(), step('waits', () => tests('waits', '--maxWorkers=2'))]);
    // The static checks use the processor time that whole processes leave. The tests that watch time limits run last and
    // alone.
    await Promise.all([rules(), step('processes', () => tests('processes', '--maxWorkers=2'))]);
    await step('limits', () => tests('limits', '--runInBand'));
  } finally {
    rmSync(reports, { recursive: true, force: true });
  }
  const { passed, failed, skipped } = total;
  console.log(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`);
  return failed === 0;
}

/**
 * The environment without the service's settings: tests choose their own. Random cases follow from the sources, so that the
 * same code passes or fails again, and other code meets other cases.
 */
function environmentForTests() {
  const example = readFileSync(join(root, '.env.example'), 'utf8');
  const settings = [...example.matchAll(/^#?([A-Z_]+)=/gm)].map(([, name]) => name);
  const unwanted = new Set([...settings, 'NODE_ENV', 'NODE_OPTIONS']);
  const own = Object.entries(process.env).filter(([name]) => !unwanted.has(name));
  return { FC_SEED: seedOfSources(), ...Object.fromEntries(own) };
}

function seedOfSources() {
  const digest = digestOf(['src', 'libs', 'tools', 'migrations', 'test', 'package-lock.json']);
  return String(parseInt(digest.slice(0, 7), 16));
}

/** The counts of Jest's report. A file that could not run counts as a failed test, and so does a failure of Jest itself. */
function countsOf(report, ok) {
  let result;
  try {
    result = JSON.parse(readFileSync(report, 'utf8'));
  } catch {
    return { passed: 0, failed: 1, skipped: 0 }; // Jest ended before it wrote one; its output says why
  }
  const failed = result.numFailedTests + result.numRuntimeErrorTestSuites;
  return {
    passed: result.numPassedTests,
    failed: failed === 0 && !ok ? 1 : failed,
    skipped: result.numPendingTests + result.numTodoTests,
  };
}
