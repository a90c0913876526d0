import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { runNode } from './child.mjs';
import { root, StepError, tool } from './project.mjs';

const folder = join(root, 'test/campaigns');
const suffix = '.campaign-spec.ts';

/**
 * Runs a campaign, a long proof of `test/campaigns`, with the arguments of its command line. Its last line has the campaign's
 * figures.
 *
 * @returns whether nothing was lost
 */
export async function campaign(args) {
  const { positionals, values } = argumentsOf(args);
  if (values.list) {
    const all = campaigns();
    const width = Math.max(...all.map((name) => name.length));
    for (const name of all) console.log(`${name.padEnd(width)}  ${descriptionOf(name)}`);
    return true;
  }
  const [name] = positionals;
  if (positionals.length !== 1 || !campaigns().includes(name)) throw usage(`There is no campaign "${name}".`);
  for (const option of ['minutes', 'seed']) {
    if (values[option] !== undefined && !/^\d+(\.\d+)?$/.test(values[option]))
      throw usage(`--${option} takes a number.`);
  }
  const report = mkdtempSync(join(tmpdir(), 'campaign-'));
  const figures = join(report, 'figures');
  try {
    const { ok } = await runNode(
      [
        tool('jest'),
        ...[
          '--selectProjects',
          'campaign',
          '--runInBand',
          '--runTestsByPath',
          join(folder, `${name}${suffix}`),
        ],
      ],
      {
        show: true,
        env: {
          ...process.env,
          ...(values.minutes !== undefined && { CAMPAIGN_MINUTES: values.minutes }),
          ...(values.seed !== undefined && { FC_SEED: values.seed }),
          CAMPAIGN_FIGURES: figures,
        },
      },
    );
    console.log(
      readFileSync(figures, { encoding: 'utf8', flag: 'a+' }) || `${name}: ended before it counted anything`,
    );
    return ok;
  } finally {
    rmSync(report, { recursive: true, force: true });
  }
}

function argumentsOf(args) {
  try {
    return parseArgs({
      args,
      allowPositionals: true,
      options: { minutes: { type: 'string' }, seed: { type: 'string' }, list: { type: 'boolean' } },
    });
  } catch ({ message }) {
    throw usage(message);
  }
}

function usage(problem) {
  return new StepError(
    `${problem}\nUsage: npm run campaign -- NAME [--minutes M] [--seed S], or npm run campaign -- --list`,
  );
}

function campaigns() {
  return readdirSync(folder)
    .filter((file) => file.endsWith(suffix))
    .map((file) => file.slice(0, -suffix.length))
    .sort();
}

/** The comment that a campaign begins with; above it stands at most what Jest reads. */
function descriptionOf(name) {
  const text = readFileSync(join(folder, `${name}${suffix}`), 'utf8');
  const [, comment = ''] = /^(?:\/\*\*.*\*\/\n)?((?:\/\/ .*\n)*)/.exec(text);
  return comment
    .trimEnd()
    .split('\n')
    .map((line) => line.slice(3))
    .join(' ');
}
