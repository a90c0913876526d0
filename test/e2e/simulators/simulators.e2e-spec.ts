import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { migratedDatabase, type TestDatabase } from '../../support/database/database';
import { commandsOn } from '../cli/run-command';

const root = join(__dirname, '../../..');
const READY = 'The simulators are running; Ctrl-C ends them.';

jest.setTimeout(60_000);

interface Simulators {
  readonly lines: readonly string[];
  /** Sends a signal; gives the exit code. */
  end(signal: 'SIGINT' | 'SIGTERM'): Promise<number | null>;
}

const running = new Set<ChildProcess>();
afterAll(() => {
  for (const simulators of running) simulators.kill('SIGKILL');
});

function command(args: readonly string[]): readonly string[] {
  const register = join(root, 'scripts/register-typescript.cjs');
  return ['-r', register, join(root, 'tools/simulators/src/main.ts'), ...args];
}

/** Starts them as a process and waits until they run. */
async function start(...args: readonly string[]): Promise<Simulators> {
  const child = spawn(process.execPath, command(args), { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] });
  running.add(child);
  const ended = once(child, 'exit').finally(() => running.delete(child));
  const lines: string[] = [];
  await Promise.race([
    new Promise<void>((resolve) => {
      createInterface(child.stdout).on('line', (line) => {
        lines.push(line);
        if (line === READY || line.startsWith('{')) resolve();
      });
    }),
    ended.then(() => Promise.reject(new Error('They ended before they ran.'))),
  ]);
  return {
    lines,
    end: async (signal) => {
      child.kill(signal);
      // An exit event has the code and the signal.
      const [code] = (await ended) as [number | null];
      return code;
    },
  };
}

/** How a start ends that does not work. */
function refusal(...args: readonly string[]): Promise<{ readonly code: unknown; readonly err: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, [...command(args)], { cwd: root }, (error, _out, err) =>
      resolve({ code: error?.code, err }),
    );
  });
}

/** The value beside a name, in the block of a platform. */
function fact({ lines }: Simulators, platform: string, name: string): string {
  const block = lines.slice(lines.indexOf(platform));
  const line = block.find((one) => one.trimStart().startsWith(`${name} `));
  return line?.trim().slice(name.length).trim() ?? '';
}

/** The commands that connect, as they are printed: what is piped, and the arguments. */
function connecting({ lines }: Simulators): readonly { readonly json: string; readonly args: string }[] {
  return lines.flatMap((line) => {
    const [, json, args] = /^echo '(.*)' \| npm run -s cli -- (connections set .*)$/.exec(line) ?? [];
    return json === undefined || args === undefined ? [] : [{ json, args }];
  });
}

async function edit(simulators: Simulators, platform: string, name: string, input: object): Promise<unknown> {
  const answer = await fetch(`${fact(simulators, platform, 'control')}/state/${name}`, {
    method: 'POST',
    body: JSON.stringify(input),
  });
  expect(answer.status).toBe(200);
  return answer.json();
}

describe('npm run simulators', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await migratedDatabase();
  });
  afterAll(() => database.drop());

  describe('while it runs', () => {
    let simulators: Simulators;
    beforeAll(async () => {
      simulators = await start('--switch', 'spikeLimit=0');
    });
    afterAll(async () => {
      expect(await simulators.end('SIGINT')).toBe(0);
    });

    it('prints commands with which a customer is connected', async () => {
      // The line that makes a key makes one that the commands take.
      const [, script = ''] = /^node -p '(.*)' >> \.env$/m.exec(simulators.lines.join('\n')) ?? [];
      const key = await new Promise<string>((resolve) => {
        execFile(process.execPath, ['-p', script], (_error, out) => resolve(out.trim()));
      });
      const [name = '', value = ''] = key.split(/=(.*)/s);
      expect(name).toBe('CREDENTIALS_KEYS');
      const { aCustomer, piped, json } = commandsOn(() => database.url, { [name]: value });
      const customer = await aCustomer();

      const commands = connecting(simulators);
      expect(commands).toHaveLength(2);
      for (const { json: credentials, args } of commands) {
        const typed = args.replace('"$CUSTOMER"', customer).split(' ');
        expect(await piped(credentials, ...typed)).toMatchObject({ code: 0, err: '' });
      }
      for (const platform of ['platform_a', 'platform_b']) {
        const { settings } = await json(
          'connections',
          'show',
          '--customer',
          customer,
          '--platform',
          platform,
        );
        expect(settings.api_url).toBe(fact(simulators, platform, 'api_url'));
        expect(settings.client_id).toBe(fact(simulators, platform, 'client_id'));
      }
    });

    it('answers at the addresses that it prints, with the records of the sandboxes', async () => {
      const of = (platform: string, name: string): string => fact(simulators, platform, name);
      const grant = (platform: string): URLSearchParams =>
        new URLSearchParams({
          grant_type: 'client_credentials',
          client_id: of(platform, 'client_id'),
          client_secret: of(platform, 'client_secret'),
          ...(platform === 'platform_b' && { scope: of(platform, 'scope') }),
        });
      const get = async (url: string, token: string, headers: Record<string, string> = {}) =>
        (await fetch(url, { headers: { Authorization: `Bearer ${token}`, ...headers } })).json();
      const tokenOf = async (url: string, platform: string): Promise<string> =>
        // Both answer with a token under this name.
        (
          (await (await fetch(url, { method: 'POST', body: grant(platform) })).json()) as Record<
            string,
            string
          >
        )['access_token'] ?? '';

      const company = of('platform_a', 'company_id');
      const a = await tokenOf(`${of('platform_a', 'login_url')}/oauth/token`, 'platform_a');
      const projects = `${of('platform_a', 'api_url')}/rest/v1.1/projects?company_id=${company}`;
      expect(await get(projects, a, { 'Procore-Company-Id': company })).toContainEqual(
        expect.objectContaining({ id: 341276, name: 'Lusail Boulevard Tower' }),
      );
      const b = await tokenOf(of('platform_b', 'token_url'), 'platform_b');
      const twin = 'a34e74db-53c7-4368-8fe7-bb87c83c7902';
      expect(await get(`${of('platform_b', 'payments_url')}(${twin})`, b)).toMatchObject({
        id: twin,
        externalDocumentNumber: 'CHK-2026-0101',
      });
    });

    it('says what is wrong when another cannot start', async () => {
      const { port } = new URL(fact(simulators, 'platform_a', 'control'));
      const { code, err } = await refusal('--port', port);
      expect(code).toBe(1);
      expect(err).toMatch(/EADDRINUSE/);
    });
  });

  it('keeps its state in a folder, and ends in order', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'simulators-'));
    try {
      const payment = { kind: 'contract_payments', id: 1823456 };
      const first = await start('--state', join(folder, 'kept'));
      await edit(first, 'platform_a', 'change_record', { ...payment, set: { notes: 'Kept' } });
      expect(await first.end('SIGTERM')).toBe(0);

      // A portfolio does not count any more.
      const second = await start('--state', join(folder, 'kept'), '--contracts', '5');
      const kept = await edit(second, 'platform_a', 'read_records', { kind: 'contract_payments' });
      expect(kept).toContainEqual(expect.objectContaining({ id: 1823456, notes: 'Kept' }));
      expect(kept).toHaveLength(8);
      expect(fact(second, 'platform_b', 'client_secret')).toBe(fact(first, 'platform_b', 'client_secret'));
      expect(await second.end('SIGTERM')).toBe(0);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('prints JSON for programs, with a generated portfolio, a fast clock and switches', async () => {
    const args = '--json --contracts 60 --seed 7 --speed 60 --switch hourlyLimit=1000'.split(' ');
    const simulators = await start(...args);
    expect(simulators.lines).toHaveLength(1);
    const printed = JSON.parse(simulators.lines[0] ?? '') as Record<string, { control_url: string }>;
    const [a, b] = ['platform_a', 'platform_b'].map((platform) => printed[platform]?.control_url ?? '');
    const ask = async (url: string): Promise<unknown> => (await fetch(url)).json();
    expect(await ask(`${b}/clock`)).toMatchObject({ factor: 60 });
    expect(await ask(`${a}/switches`)).toMatchObject({ hourlyLimit: { value: 1000, default: 600 } });
    const { records } = (await ask(`${b}/state`)) as { records: Record<string, number> };
    expect(records['salesOrders']).toBeGreaterThan(20);
    expect(await simulators.end('SIGTERM')).toBe(0);
  });

  it('refuses what it does not know, by name', async () => {
    expect(await refusal('--contract', '5')).toMatchObject({
      code: 2,
      err: expect.stringContaining("unknown option '--contract'"),
    });
    expect(await refusal('--switch', 'nothing=5')).toMatchObject({
      code: 2,
      err: expect.stringContaining('There is no switch "nothing"'),
    });
  });

  it('is one of the commands that install and build first', async () => {
    const usage = await new Promise<string>((resolve) => {
      execFile(process.execPath, [join(root, 'scripts/run.mjs'), 'nothing'], (_error, _out, err) =>
        resolve(err),
      );
    });
    expect(usage).toMatch(/\bsimulators\b/);
  });
});
