import { Readable } from 'node:stream';
import type { INestApplicationContext } from '@nestjs/common';
import type { Input } from '../../../src/cli/input';
import { Operator, type Access } from '../../../src/cli/operator';
import { outputTo, type Output } from '../../../src/cli/output';
import { openOperator, runCli, runOver } from '../../../src/cli/run';
import { readEnvironment } from '../../../src/runtime/config/environment';
import { createLogger } from '../../../src/runtime/logging/logger';

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
export function runCommand(
  environment: NodeJS.ProcessEnv,
  args: readonly string[],
  input: Input = Readable.from([]),
): Promise<Ran> {
  return written((output) => runCli(args, environment, output, input));
}

async function written(run: (output: Output) => Promise<number>): Promise<Ran> {
  let out = '';
  let err = '';
  const output = outputTo(
    (text) => (out += text),
    (text) => (err += text),
  );
  const code = await run(output);
  return { code, out, err };
}

/**
 * The operator's commands on a database.
 *
 * @param databaseUrl asked at each command, as a test's database is made later than its commands
 * @param environment what else is set
 */
export function commandsOn(databaseUrl: () => string, environment: NodeJS.ProcessEnv = {}) {
  return commandsBy((args, input) =>
    runCommand({ DATABASE_URL: databaseUrl(), LOG_LEVEL: 'silent', ...environment }, args, input),
  );
}

/**
 * The same commands over parts of the service that stay open until the tests of the file are over: a command of its own takes a
 * fifth of a second to make them. To be called where tests are described, before the service is closed by an `afterAll`.
 */
export function keptCommandsOn(databaseUrl: () => string, environment: NodeJS.ProcessEnv = {}) {
  let kept: Promise<INestApplicationContext> | undefined;
  const open = (): Promise<INestApplicationContext> => {
    const url = databaseUrl();
    return openOperator({ ...readEnvironment(environment), databaseUrl: url }, createLogger('silent'));
  };
  afterAll(async () => (await kept)?.close());
  return commandsBy((args, input = Readable.from([])) => {
    const access: Access = {
      input,
      operate: async (work) => work((await (kept ??= open())).get(Operator)),
      reach: (work) => work(databaseUrl(), readEnvironment(environment).databasePooler),
    };
    return written((output) => runOver(access, args, output));
  });
}

function commandsBy(run: (args: readonly string[], input?: Input) => Promise<Ran>) {
  const cli = (...args: string[]): Promise<Ran> => run(args);

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
      run(args, typeof input === 'string' ? Readable.from([Buffer.from(input)]) : input),
    aCustomer: async (name = 'Acme'): Promise<string> =>
      (await json('customers', 'create', '--name', name)).customer_id,
    aKey: (customer: string, mode = 'live'): Promise<{ key_id: string; api_key: string }> =>
      json('keys', 'issue', '--customer', customer, '--mode', mode),
  };
}
