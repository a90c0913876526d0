import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { ApiError, TranslationClient, type ClientOptions, type ResponseFacts } from '@app/client';
import { walk } from '../../examples/walk';
import { PropagateWait } from '../../src/propagate/propagate.service';
import { startApp, type RunningApp } from '../support/app/app';
import { documentFile } from '../support/description/api-description';

jest.setTimeout(120_000);

const root = join(__dirname, '../..');
const library = join(root, 'libs/client');
const run = promisify(execFile);

describe('The typed client', () => {
  let app: RunningApp;
  beforeAll(async () => {
    app = await startApp();
  });
  afterAll(() => app.close());

  it('is generated from the description as it is committed', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'translation-client-'));
    try {
      const file = join(folder, 'schema.ts');
      const generator = join(root, 'node_modules/openapi-typescript/bin/cli.js');
      // A member of a body with a default may be left out.
      const options = ['--default-non-nullable=false', '-o', file];
      await run(process.execPath, [generator, documentFile, ...options], { cwd: root });
      const generated = readFileSync(file, 'utf8');
      if (process.env['UPDATE_DOCS'] === '1') writeFileSync(join(library, 'src/schema.ts'), generated);
      expect(readFileSync(join(library, 'src/schema.ts'), 'utf8')).toBe(generated);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it('walks the walk of the README', async () => {
    const lines: string[] = [];
    await walk(app.url, (line) => lines.push(line));
    expect(lines).toEqual([
      'platform_a: 8 payments, 13 contracts',
      expect.stringMatching(/^platform_b: \d+ payments, \d+ contracts$/),
      expect.stringMatching(/^pay_\w+ is platform_a \d+ and platform_b [0-9a-f-]{36}$/),
      'changed amount; platform_b: applied',
      expect.stringMatching(/^converted from USD to [A-Z]{3} at \d+\.\d+$/),
      expect.stringMatching(/^a time entry would be \{.*"2026-02-01".*\}$/),
      expect.stringMatching(/^refused: NOT_FOUND, request req_[0-9a-f]{20}$/),
      'the session is gone',
    ]);
  });

  it('names the request of a refusal by the ID in the log of the service', async () => {
    const client = new TranslationClient({ baseUrl: app.url, apiKey: 'sk_test_none' });
    const error: unknown = await client.listConnections().catch((thrown: unknown) => thrown);
    if (!(error instanceof ApiError)) throw error;
    expect(error.is('AUTHENTICATION_ERROR')).toBe(true);
    expect(app.log).toContainEqual(expect.objectContaining({ request_id: error.requestId, status: 401 }));
  });

  describe('with what finance asks for', () => {
    const session = async (options: Pick<ClientOptions, 'wait'> = {}) => {
      const { key } = await app.openSession();
      const client = new TranslationClient({ baseUrl: app.url, apiKey: key, ...options });
      for (const platform of ['platform_a', 'platform_b'] as const) await client.connect(platform);
      return client;
    };
    const everything = async <Item>(items: AsyncIterable<Item>): Promise<Item[]> => {
      const all: Item[] = [];
      for await (const item of items) all.push(item);
      return all;
    };

    it('reads the same records in pages as in one answer', async () => {
      const client = await session();
      const whole = await client.listObjects('platform_a', 'contract');
      const query = { platform: 'platform_a', entity_type: 'contract', limit: 4 } as const;
      expect(await everything(client.allObjects(query))).toEqual(whole);
      const later = { ...query, modified_after: new Date(Date.now() + 60_000).toISOString() };
      expect(await everything(client.allObjects(later))).toEqual([]);
      const [one] = whole;
      if (one === undefined) throw new Error('There is no contract');
      const chosen = await client.objects({
        ...query,
        canonical_id: one.canonical_id,
        include_deleted: true,
      });
      expect(chosen).toEqual({ data: [one], next_cursor: null });
    });

    it('makes a repeated change once, and refuses a change for another version', async () => {
      const client = await session();
      const [record] = await client.listObjects('platform_a', 'payment');
      if (record === undefined) throw new Error('There is no payment');
      const { canonical_id, version } = record;
      const change = (notes: string) =>
        ({ format: 'canonical', canonical_id, entity_type: 'payment', data: { notes } }) as const;
      const tried = await client.propagate({ ...change('first'), dry_run: true }, { ifMatch: version });
      expect(tried).toMatchObject({ dry_run: true, canonical: { version, updated_fields: ['notes'] } });
      let tag: string | undefined;
      await client.object(canonical_id, { onResponse: ({ etag }) => (tag = etag) });
      const unless = async () => client.object(canonical_id, { ifNoneMatch: tag ?? '' });
      expect(await unless()).toBeUndefined();

      const facts: ResponseFacts[] = [];
      const call = {
        ifMatch: version,
        idempotencyKey: 'one-change',
        onResponse: (one: ResponseFacts) => facts.push(one),
      };
      const made = await client.propagate(change('first'), call);
      expect(await client.propagate(change('first'), call)).toEqual(made);
      expect(facts.map(({ replayed }) => replayed)).toEqual([false, true]);
      expect((await unless())?.data).toMatchObject({ notes: 'first' });

      const refused: unknown = await client
        .propagate(change('second'), { ifMatch: version })
        .catch((thrown: unknown) => thrown);
      if (!(refused instanceof ApiError)) throw refused;
      expect(refused.conflicts).toContainEqual({
        field: 'notes',
        base: record.data.object === 'payment' ? record.data.notes : undefined,
        theirs: 'first',
        mine: 'second',
      });

      const history = await everything(client.allObjectHistory(canonical_id, { limit: 1 }));
      expect(history.map(({ origin }) => origin.type)).toEqual([
        'propagation',
        ...history.slice(1).map(() => 'run'),
      ]);
      const before = history[1];
      if (before === undefined) throw new Error('It has no history');
      expect((await client.object(canonical_id, { asOf: before.at })).version).toBe(version);
    });

    it('repeats a change that found other work under way, and makes it once', async () => {
      const other = new Client({ connectionString: app.databaseUrl });
      const waits: number[] = [];
      const client = await session({
        wait: async (milliseconds) => {
          waits.push(milliseconds);
          await other.query('commit');
        },
      });
      const [record] = await client.listObjects('platform_a', 'payment');
      if (record === undefined) throw new Error('There is no payment');
      const { canonical_id } = record;
      await other.connect();
      await other.query('begin');
      await other.query('select from canonical_objects where id = $1 for update', [canonical_id]);
      const wait = app.app.get(PropagateWait, { strict: false });
      const { lockMilliseconds } = wait;
      wait.lockMilliseconds = 100;
      const made = await client.propagate(
        { format: 'canonical', canonical_id, entity_type: 'payment', data: { notes: 'Once' } },
        { idempotencyKey: 'patient' },
      );
      await other.end();
      wait.lockMilliseconds = lockMilliseconds;
      expect(waits).toEqual([1_000]);
      expect(made.propagated.platform_a?.status).toBe('applied');
      const { data } = await client.propagations({ canonical_id });
      expect(data.map(({ propagation_id: id }) => id)).toEqual([made.propagation_id]);
    });

    it('reads statement and cases, as data and as files', async () => {
      const client = await session();
      const { types, digest } = await client.statement({ entity_type: 'contract' });
      expect(types.map(({ entity_type }) => entity_type)).toEqual(['contract']);
      const { facets } = await client.cases({ entity_type: 'contract', limit: 1 });
      const cases = await everything(client.allCases({ entity_type: 'contract', limit: 2 }));
      expect(cases).toHaveLength(facets.total);
      expect(new Set(cases.map(({ id }) => id)).size).toBe(facets.total);
      for (const { id } of cases.slice(0, 1)) expect((await client.case(id)).id).toBe(id);
      const statement = await client.statementCsv({ entity_type: 'contract' });
      expect(statement.startsWith('\uFEFF')).toBe(true);
      expect(statement).toContain(digest);
      const file = await client.casesCsv({ entity_type: 'contract' });
      for (const { id } of cases) expect(file).toContain(id);
    });

    it('decides, lists and withdraws', async () => {
      const client = await session();
      const payments = await client.listObjects('platform_a', 'payment');
      const linked = payments.find(({ mappings }) => mappings.length === 2);
      if (linked === undefined) throw new Error('No payment is on both platforms');
      const decision = {
        decision: 'not_same',
        entity_type: 'payment',
        records: linked.mappings,
        reason: 'Two payments of one day',
        decided_by: 'Amal',
      } as const;
      const tried = await client.decide({ ...decision, dry_run: true });
      expect(tried).toMatchObject({ id: null, dry_run: true, effects: { records_total: 1 } });
      const { id } = await client.decide(decision, { idempotencyKey: 'parted' });
      if (id === null) throw new Error('The decision has no ID');
      expect(await everything(client.allDecisions({ status: 'standing' }))).toMatchObject([{ id }]);
      expect((await client.object(linked.canonical_id)).mappings).toHaveLength(1);
      const withdrawn = await client.withdraw(id, { reason: 'They are one', decided_by: 'Amal' });
      expect(withdrawn.status).toBe('withdrawn');
      expect((await client.decisions({ status: 'withdrawn' })).data).toMatchObject([{ id }]);
      expect((await client.object(linked.canonical_id)).mappings).toEqual(linked.mappings);
    });

    it('says who is calling, and changes what is agreed', async () => {
      const { key: apiKey } = await app.issueKey('live');
      const client = new TranslationClient({ baseUrl: app.url, apiKey });
      await client.connect('platform_a');
      const why = { reason: 'Agreed at the yearly review', decided_by: 'Amal' };
      expect(await client.me()).toMatchObject({
        key: { mode: 'live', permissions: ['read', 'write', 'decide', 'administer'] },
        platforms: { platform_a: { mode: 'sandbox', status: 'active' } },
      });
      await client.setRate({ from: 'EUR', to: 'USD', rate: '1.08', ...why });
      expect(await client.rates()).toMatchObject([{ from: 'EUR', to: 'USD', rate: '1.08', ...why }]);
      await client.removeRate('EUR', 'USD', why);
      expect(await client.rates()).toEqual([]);
      await client.setPrecedence('payment', 'date', { platforms: ['platform_b'] });
      expect((await client.precedence()).precedence).toMatchObject([{ field: 'date' }]);
      await client.clearPrecedence('payment', 'date');
      expect((await client.precedence()).precedence).toEqual([]);
      expect(await client.setRule('paid_above_billed', { level: 'warn' })).toMatchObject({ level: 'warn' });
      await client.clearRule('paid_above_billed');
      expect((await client.rules())[0]).toMatchObject({ rule: 'paid_above_billed', level: 'refuse' });
    });
  });
});
