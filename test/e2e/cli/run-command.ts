import { Readable } from 'node:stream';
import type { Input } from '../../../src/cli/input';
import { outputTo } from '../../../src/cli/output';
import { runCli } from '../../../src/cli/run';

/** What a command left behind. */
export interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** An ID that nothing has. */
export const nobody = '00000000-0000-4000-8000-000000000000';

export const UUID = /^[0-9a-f-]{36}$/;

/** Runs one command in an environment and with an input of its own. */
export async function runCommand(
  environment: NodeJS.ProcessEnv,
  args: readonly string[],
  input: Input = Readable.from([]),
): Promise<Ran> {
  let out = '';
  let err = '';
  const output = outputTo(
    (text) => (out += text),
    (text) => (err += text),
  );
  const code = await runCli(args, environment, output, input);
  return { code, out, err };
}

/**
 * The operator's commands on a database.
 *
 * @param databaseUrl asked at each command, as a test's database is made later than its commands
 * @param environment what else is set
 */
export function commandsOn(databaseUrl: () => string, environment: NodeJS.ProcessEnv = {}) {
  const cli = (...args: string[]): Promise<Ran> =>
    runCommand({ DATABASE_URL: databaseUrl(), LOG_LEVEL: 'silent', ...environment }, args);

  /** What a command that succeeds says with `--json`: one line, and nothing beside it. */
  async function json(...args: string[]): Promise<ReturnType<typeof JSON.parse>> {
    const { code, out, err } = await cli(...args, '--json');
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toMatch(/^[^\n]+\n$/);
    return JSON.parse(out);
  }

  return {
    cli,
    json,
    /** A command that something is piped into. */
    piped: (input: Input | string, ...args: string[]): Promise<Ran> =>
      runCommand(
        { DATABASE_URL: databaseUrl(), LOG_LEVEL: 'silent', ...environment },
        args,
        typeof input === 'string' ? Readable.from([Buffer.from(input)]) : input,
      ),
    aCustomer: async (name = 'Acme'): Promise<string> =>
      (await json('customers', 'create', '--name', name)).customer_id,
    aKey: (customer: string, mode = 'live'): Promise<{ key_id: string; api_key: string }> =>
      json('keys', 'issue', '--customer', customer, '--mode', mode),
  };
}
