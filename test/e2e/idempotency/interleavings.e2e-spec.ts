import { setTimeout as sleep } from 'node:timers/promises';
import { Client, Pool } from 'pg';
import { fc, randomCases } from '../../../libs/mapper/src/testing/property';
import { api, type ApiResponse } from '../../support/app/api';
import { startApp, type RunningApp } from '../../support/app/app';
import { expectError, isReplay } from '../../support/app/expectations';
import { portfolios, type Portfolio, type Portfolios } from '../../support/customers/portfolio';

jest.setTimeout(120_000);

const ON_A = ['1823456', '1823502'];

/** One thing that happens: a request, or the end of all leases, as if their instances were dead. */
type Event =
  | {
      readonly kind: 'send';
      readonly key: number;
      readonly body: number;
      readonly instance: number;
      readonly after: number;
    }
  | { readonly kind: 'expire'; readonly after: number };

const after = fc.nat(12);
const event: fc.Arbitrary<Event> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant('send' as const),
      key: fc.nat(2),
      body: fc.oneof({ weight: 4, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.nat(2) }),
      instance: fc.nat(1),
      after,
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('expire' as const), after }) },
);

describe('requests with an Idempotency-Key, in any order', () => {
  let app: RunningApp;
  let other: RunningApp;
  let all: Portfolios;
  let portfolio: Portfolio;
  /** Several leases may end at once, and a connection takes one statement at a time. */
  let database: Pool;
  beforeAll(async () => {
    app = await startApp();
    database = new Pool({ connectionString: app.databaseUrl });
    other = await startApp({ databaseUrl: app.databaseUrl });
    all = await portfolios(app);
  });
  beforeEach(async () => {
    portfolio = await all.open();
  });
  afterAll(async () => {
    await database.end();
    await all.close();
    await other.close();
    await app.close();
  });

  /** Three bodies of a key: two changes of different records, and one that is refused. */
  const bodyOf = (run: number, { key, body }: { key: number; body: number }) => ({
    format: 'platform',
    platform: 'platform_a',
    platform_id: ON_A[body % 2],
    entity_type: 'payment',
    data: body === 2 ? { amount: '1.2345' } : { notes: `run ${run}, key ${key}, body ${body}` },
  });

  const expire = () =>
    database.query(
      `update idempotency_keys set lease_until = now() - interval '1 second'
       where customer_id = $1 and lease_until is not null`,
      [portfolio.customerId],
    );

  it('have one effect for each key at most, and all answers to it are that of the effect', async () => {
    let run = 0;
    let effects = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(event, { minLength: 2, maxLength: 14 }), async (events) => {
        run += 1;
        const answers: { key: number; body: number; answer: ApiResponse }[] = [];
        await Promise.all(
          events.map(async (one) => {
            await sleep(one.after);
            if (one.kind === 'expire') return void (await expire());
            const { url } = one.instance === 0 ? app : other;
            const headers = { 'Idempotency-Key': `run-${run}-key-${one.key}` };
            const answer = await api(url, portfolio.key).post('/propagate', bodyOf(run, one), headers);
            answers.push({ key: one.key, body: one.body, answer });
          }),
        );
        for (const key of new Set(answers.map((one) => one.key))) {
          const own = answers.filter((one) => one.key === key);
          const done = own.filter(({ answer }) => answer.status === 200);
          expect(new Set(done.map(({ answer, body }) => `${body} ${answer.text}`)).size).toBeLessThanOrEqual(
            1,
          );
          expect(done.filter(({ answer }) => !isReplay(answer))).toHaveLength(done.length === 0 ? 0 : 1);
          effects += done.length === 0 ? 0 : 1;
          for (const { body, answer } of own.filter((one) => one.answer.status !== 200)) {
            if (answer.status === 422) expect(body).toBe(2);
            else expectError(answer, 409, 'CONFLICT_ERROR', /Idempotency-Key/);
          }
        }
        expect(await portfolio.accounts()).toHaveLength(effects);
      }),
      { numRuns: randomCases(12) },
    );
  });

  it('have no effect any more when another request has taken the key over', async () => {
    const holder = new Client({ connectionString: app.databaseUrl });
    await holder.connect();
    const send = ({ url }: RunningApp) =>
      api(url, portfolio.key).post('/propagate', bodyOf(0, { key: 0, body: 0 }), {
        'Idempotency-Key': 'slow',
      });
    const owner = async () =>
      (
        await portfolio.sql<{ owner: string }>('select owner from idempotency_keys where customer_id = $1', [
          portfolio.customerId,
        ])
      )[0]?.owner;
    let answers: Promise<ApiResponse[]>;
    try {
      await holder.query('begin');
      await holder.query('select 1 from canonical_objects where customer_id = $1 for update', [
        portfolio.customerId,
      ]);
      const slow = send(app);
      while ((await owner()) === undefined) await sleep(5);
      const dead = await owner();
      let heir: Promise<ApiResponse> | undefined;
      while ((await owner()) === dead) {
        await expire();
        heir ??= send(other);
        const early = await Promise.race([heir, sleep(20)]);
        if (early !== undefined) heir = undefined;
      }
      answers = Promise.all([slow, heir ?? send(other)]);
    } finally {
      await holder.query('rollback');
      await holder.end();
    }
    const [late, heir] = await answers;
    expectError(late as ApiResponse, 409, 'CONFLICT_ERROR', /still under way/);
    expect(heir?.status).toBe(200);
    expect(await portfolio.accounts()).toHaveLength(1);
  });
});
