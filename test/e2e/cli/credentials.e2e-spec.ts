import { Readable } from 'node:stream';
import type { MasterKey } from '../../../src/runtime/config/credentials-keys';
import { readEnvironment } from '../../../src/runtime/config/environment';
import { createLogger } from '../../../src/runtime/logging/logger';
import { serve } from '../../../src/runtime/start/serve';
import { startProblem } from '../../../src/runtime/start/start-error';
import { api } from '../../support/app/api';
import { startApp, type RunningApp } from '../../support/app/app';
import { keysSetting, masterKey } from '../credentials/master-keys';
import { commandsOn, keptCommandsOn, nobody } from './run-command';

const SECRET = 'hunter2-hunter2';
const forA = {
  login_url: 'https://login.example',
  api_url: 'https://api.example/',
  company_id: 4711,
  client_id: 'client',
  client_secret: SECRET,
  projects: [7, '8'],
};
const shownA = {
  login_url: 'https://login.example',
  api_url: 'https://api.example',
  company_id: '4711',
  client_id: 'client',
  projects: ['7', '8'],
};

describe('credentials of live connections', () => {
  const first = masterKey('first');
  const next = masterKey('next');
  let service: RunningApp;
  beforeAll(async () => {
    service = await startApp();
  });
  const keys = (...list: readonly MasterKey[]) => ({ CREDENTIALS_KEYS: keysSetting(...list) });
  const { cli, json, piped, aCustomer } = keptCommandsOn(() => service.databaseUrl, keys(first));
  afterAll(() => service.close());
  const on = (...list: readonly MasterKey[]) => commandsOn(() => service.databaseUrl, keys(...list));
  const set = (customer: string, value: unknown = forA, platform = 'platform_a') =>
    piped(
      JSON.stringify(value),
      'connections',
      'set',
      '--customer',
      customer,
      '--platform',
      platform,
      '--json',
    );
  const of = (customer: string, platform = 'platform_a') => ['--customer', customer, '--platform', platform];

  describe('connections set', () => {
    it('stores them, and shows them without the secret', async () => {
      const customer = await aCustomer();
      const { code, out, err } = await set(customer);
      expect({ code, err }).toEqual({ code: 0, err: '' });
      const expected = {
        customer_id: customer,
        platform: 'platform_a',
        changed_at: expect.stringMatching(/Z$/),
        sealed_with: 'first',
        settings: shownA,
      };
      expect(JSON.parse(out)).toEqual(expected);
      expect(await json('connections', 'show', ...of(customer))).toEqual({
        ...expected,
        webhooks: { confirmed: 0, unconfirmed: 0, failed_checks: 0, next_check_at: null },
      });
      const shown = (await cli('connections', 'show', ...of(customer))).out;
      expect(shown).toMatch(
        /^name +value\nplatform +platform_a\n.*\nsealed_with +first\n.*projects +7, 8\n$/s,
      );
      expect(out + shown).not.toContain('hunter2');
    });

    it('replaces them, each platform by itself', async () => {
      const customer = await aCustomer();
      await set(customer);
      const forB = {
        token_url: 'https://login.example/token',
        api_url: 'https://erp.example/api/v2.0',
        company_id: 'c',
        client_id: 'client',
        client_secret: SECRET,
      };
      expect((await set(customer, forB, 'platform_b')).code).toBe(0);
      const less = { ...forA, company_id: 'other', projects: undefined };
      expect((await set(customer, less)).code).toBe(0);
      expect((await json('connections', 'show', ...of(customer))).settings).toEqual({
        login_url: 'https://login.example',
        api_url: 'https://api.example',
        company_id: 'other',
        client_id: 'client',
      });
      expect((await json('connections', 'show', ...of(customer, 'platform_b'))).settings.company_id).toBe(
        'c',
      );
    });

    it('reports what it changed', async () => {
      const customer = await aCustomer();
      expect(await piped(JSON.stringify(forA), 'connections', 'set', ...of(customer))).toEqual({
        code: 0,
        out: 'Stored the credentials for platform_a; the next connect reads the platform itself\n',
        err: '',
      });
    });

    it('refuses what does not fit, repeats no value and stores nothing', async () => {
      const customer = await aCustomer();
      expect(
        await set(customer, { ...forA, client_secret: { a: SECRET }, api_url: `https://u:${SECRET}@x` }),
      ).toEqual({
        code: 1,
        out: '',
        err:
          'Invalid input: api_url must be an https address, without user, query or fragment (http only to a loopback address); ' +
          'client_secret must be text of 1 to 4000 characters in one line, without blanks around it\n',
      });
      const cut = await piped(`{"client_secret":"${SECRET}`, 'connections', 'set', ...of(customer));
      expect(cut).toEqual({ code: 1, out: '', err: 'Invalid input: the credentials are not JSON\n' });
      expect((await cli('connections', 'show', ...of(customer))).err).toBe(
        `Customer ${customer} has no live connection to platform_a\n`,
      );
    });

    it('reads standard input only, and no terminal', async () => {
      const customer = await aCustomer();
      const terminal = Object.assign(Readable.from([JSON.stringify(forA)]), { isTTY: true });
      expect(await piped(terminal, 'connections', 'set', ...of(customer))).toEqual({
        code: 1,
        out: '',
        err: `This command reads JSON from standard input: connections set --customer ${customer} --platform platform_a < credentials.json\n`,
      });
      expect((await piped('', 'connections', 'set', ...of(customer))).err).toMatch(
        /^Standard input is empty/,
      );
      for (const more of [['--client-secret', SECRET], [JSON.stringify(forA)]]) {
        expect(await cli('connections', 'set', ...of(customer), ...more)).toMatchObject({ code: 2, out: '' });
      }
    });

    it('refuses without CREDENTIALS_KEYS', async () => {
      const { piped: without } = commandsOn(() => service.databaseUrl);
      expect(await without(JSON.stringify(forA), 'connections', 'set', ...of(await aCustomer()))).toEqual({
        code: 1,
        out: '',
        err: 'Credentials cannot be stored without CREDENTIALS_KEYS; set it to a key, such as 2026-01:$(openssl rand -base64 32)\n',
      });
    });

    it('refuses a demo session, and a customer that is not there', async () => {
      const { customerId } = await service.openSession();
      expect(await set(customerId)).toEqual({
        code: 1,
        out: '',
        err: `Customer ${customerId} is a demo session, and demo sessions have sandboxes only\n`,
      });
      for (const command of ['show', 'remove']) {
        expect((await cli('connections', command, ...of(nobody))).err).toBe(
          `No customer with ID ${nobody}\n`,
        );
      }
      expect((await set(nobody)).err).toBe(`No customer with ID ${nobody}\n`);
    });

    it.each([
      ['set', '--customer', nobody],
      ['set', '--customer', nobody, '--platform', 'platform_z'],
      ['show', '--platform', 'platform_a'],
      ['remove', '--customer', nobody, '--platform', 'platform_a', '--all'],
    ])('refuses the arguments %s %s %s %s', async (...args) => {
      expect(await cli('connections', ...args)).toMatchObject({ code: 2, out: '' });
    });
  });

  describe('credentials rewrap', () => {
    it('seals everything with the first key, and finds nothing to do the second time', async () => {
      const customer = await aCustomer();
      await set(customer);
      const { json: rotating, cli: text } = on(next, first);
      expect((await rotating('credentials', 'rewrap')).rewrapped).toBeGreaterThanOrEqual(1);
      expect(await rotating('credentials', 'rewrap')).toEqual({ rewrapped: 0 });
      expect((await text('credentials', 'rewrap')).out).toBe('Sealed 0 rows with the first key\n');
      expect((await json('connections', 'show', ...of(customer))).sealed_with).toBe('next');
      await on(first, next).cli('credentials', 'rewrap');
    });

    it('names a key that is missing', async () => {
      await set(await aCustomer());
      expect(await on(next).cli('credentials', 'rewrap')).toEqual({
        code: 1,
        out: '',
        err: 'CREDENTIALS_KEYS lacks the key "first" that stored credentials are sealed with; add it again\n',
      });
    });
  });

  describe('the service', () => {
    async function start(setting: NodeJS.ProcessEnv, { databaseUrl } = service): Promise<string> {
      const stop = new AbortController();
      const environment = {
        ...readEnvironment({ ...setting, PORT: '0', METRICS_PORT: 'off', HOST: '127.0.0.1' }),
        databaseUrl,
      };
      try {
        await serve(environment, createLogger('silent'), stop.signal, () => stop.abort(), {
          lastResponses: 0,
        });
        return 'it started';
      } catch (error) {
        return startProblem(error);
      }
    }

    it('does not start without a key that something is sealed with, and names it', async () => {
      await set(await aCustomer());
      const problem =
        'CREDENTIALS_KEYS lacks the key "first" that stored credentials are sealed with; add it again';
      expect(await start({})).toBe(problem);
      expect(await start(keys(next))).toBe(problem);
      expect(await start(keys(next, first))).toBe('it started');
    });

    it('starts without a lost key once the endpoints are removed whose secrets it sealed', async () => {
      const other = await startApp({ credentialsKeys: [first] });
      try {
        const { key, customerId } = await other.issueKey('live');
        const endpoint = { url: 'https://93.184.215.14/hook', enabled: false };
        const { id } = (await api(other.url, key).post('/webhook-endpoints', endpoint)).body.data;
        expect(await start(keys(next), other)).toMatch(/lacks the key "first"/);
        const { cli: withoutKey } = commandsOn(() => other.databaseUrl, keys(next));
        const named = (customer: string) => ['--customer', customer, '--endpoint', id];
        const nobodys = await withoutKey('endpoints', 'remove', ...named(nobody));
        expect(nobodys).toEqual({ code: 1, out: '', err: 'No webhook endpoint has this ID\n' });
        const removed = await withoutKey('endpoints', 'remove', ...named(customerId));
        expect(removed).toEqual({ code: 0, out: `Removed the endpoint ${id}\n`, err: '' });
        expect(await start(keys(next), other)).toBe('it started');
      } finally {
        await other.close();
      }
    });
  });
});
