import { Readable } from 'node:stream';
import type { Command } from 'commander';
import { outputTo } from '../../../src/cli/output';
import { program } from '../../../src/cli/program';
import { createDatabase, type TestDatabase } from '../../support/database/database';
import { commandsOn, nobody, runCommand } from './run-command';

const never = () => Promise.reject(new Error('Nothing is run here'));
const ignore = () => undefined;
const root = program({ operate: never, reach: never, input: Readable.from([]) }, outputTo(ignore, ignore));

function groupsAndCommands(of: Command, path: readonly string[] = []): [string, Command][] {
  return of.commands.flatMap((command): [string, Command][] => {
    const words = [...path, command.name()];
    return [[words.join(' '), command], ...groupsAndCommands(command, words)];
  });
}

const described = groupsAndCommands(root);
const runnable = described.filter(([, command]) => command.commands.length === 0);

describe('operator commands', () => {
  it('are listed completely here', () => {
    expect(runnable.map(([name]) => name)).toEqual([
      'status',
      'doctor',
      'customers create',
      'customers set',
      'customers remove',
      'customers list',
      'keys issue',
      'keys list',
      'keys rotate',
      'keys revoke',
      'connections list',
      'connections set',
      'connections show',
      'connections remove',
      'connections sync',
      'connections test',
      'credentials rewrap',
      'outbox list',
      'outbox show',
      'outbox retry',
      'outbox discard',
      'rates set',
      'rates list',
      'rates remove',
      'precedence set',
      'precedence list',
      'precedence clear',
      'rules set',
      'rules clear',
      'rules list',
      'fields set',
      'fields list',
      'fields remove',
      'reconciliation list',
      'reconciliation decisions',
      'endpoints list',
      'endpoints remove',
      'demo purge',
      'migrations list',
      'migrations run',
      'migrations distribute',
    ]);
  });

  it.each([['', root] as const, ...described])('describe themselves: %s --help', async (name, command) => {
    const words = name.split(' ').filter(Boolean);
    const { code, out, err } = await runCommand({}, [...words, '--help']);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toMatch(new RegExp(`^Usage: ${['cli', ...words].join(' ')} \\[`));
    expect(command.description()).not.toBe('');
    for (const { name, description } of [
      ...command.commands.map((inner) => ({ name: inner.name(), description: inner.description() })),
      ...command.options.map(({ flags, description }) => ({ name: flags, description })),
    ]) {
      expect(description).not.toBe('');
      expect(out).toContain(name);
    }
  });

  it.each(runnable)('have an output for programs: %s --json', (_name, command) => {
    expect(command.options.map(({ long }) => long)).toContain('--json');
  });

  it.each(described.filter(([, command]) => command.commands.length > 0))(
    'are groups that need a subcommand: %s',
    async (name, group) => {
      const { code, out, err } = await runCommand({}, name.split(' '));
      expect({ code, out }).toEqual({ code: 2, out: '' });
      for (const inner of group.commands) expect(err).toContain(inner.name());
    },
  );

  it('suggest the intended command', async () => {
    expect((await runCommand({}, ['keys', 'rotat'])).err).toContain('Did you mean rotate?');
  });

  it.each([['nonsense'], ['keys', 'steal'], []])('refuse the arguments %j %j', async (...args) => {
    const { code, out, err } = await runCommand({}, args);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).not.toBe('');
  });

  it.each([
    ['keys', 'list', '--customer', nobody],
    ['migrations', 'list'],
    ['migrations', 'run'],
  ])('say in one line why they cannot work: %s %s', async (...args) => {
    expect(await runCommand({ DATABASE_URL: 'postgres://nobody:hunter2@127.0.0.1:1/nothing' }, args)).toEqual(
      { code: 1, out: '', err: 'The database does not answer\n' },
    );
    expect(await runCommand({ DATABASE_URL: 'nonsense' }, args)).toEqual({
      code: 1,
      out: '',
      err: expect.stringMatching(/^Bad environment: DATABASE_URL: [^\n]+\n$/),
    });
  });

  describe('on an empty database', () => {
    let database: TestDatabase;
    beforeEach(async () => (database = await createDatabase()));
    afterEach(() => database.drop());
    const { json } = commandsOn(() => database.url);

    it('bring it up to date first, unless they are about migrations', async () => {
      expect(await json('customers', 'list')).toEqual({ customers: [] });
      expect(await json('migrations', 'run')).toEqual({ applied: [] });
    });
  });
});
