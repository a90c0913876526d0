import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

jest.setTimeout(60_000);

const root = join(__dirname, '../..');

/** The command behind `npm run <name>`. */
function commandOf(name: string): readonly string[] {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    scripts: Readonly<Record<string, string>>;
  };
  const [program, ...args] = (scripts[name] ?? '').split(' ');
  expect(program).toBe('node');
  return args;
}

/** Runs an example as people do, where it cannot come further than its beginning. */
async function run(name: string, environment: NodeJS.ProcessEnv) {
  const process_ = spawn(process.execPath, commandOf(name), {
    cwd: root,
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = once(process_, 'exit');
  const [out, err] = await Promise.all([text(process_.stdout), text(process_.stderr)]);
  const [code] = (await ended) as [number | null];
  return { code, out, err };
}

describe('the commands of the examples', () => {
  it('load, and say in a line what is missing: example:live', async () => {
    const missing = join(__dirname, 'no-such-file.json');
    const { code, out, err } = await run('example:live', { SIMULATORS: missing });
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err).toMatch(/^ENOENT: .*no-such-file\.json'\n$/);
  });

  it.each(['example', 'example:reconcile'])('load, and say in a line what is missing: %s', async (name) => {
    const { code, out, err } = await run(name, { BASE_URL: 'http://127.0.0.1:1' });
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err).toMatch(/^[^\n]+\n$/);
  });
});
