import { setTimeout as sleep } from 'node:timers/promises';
import { randomUUID } from 'node:crypto';
import { Client, Pool } from 'pg';
import { storedEntityTypes, stringifyJson } from '@app/mapper';
import { fc, randomCases, seed } from '../../../libs/mapper/src/testing/property';
import { Dispatcher } from '../../../src/outbox/dispatch/dispatcher';
import { PropagateWait } from '../../../src/propagate/propagate.service';
import { startApp, type RunningApp } from '../../support/app/app';
import { GivenRecords } from '../../support/platforms/given-records';
import { platforms, portfolioOf, type Platform, type Portfolio } from '../../support/customers/portfolio';
import { faults, UnreliablePlatform, type Fault } from '../../support/platforms/unreliable-platform';

/** Sequences in all. A few find what is new; `FC_TIMES=70` looks further, `FC_SEED` repeats a run. */
const runs = randomCases(3);
/** Sequences under way at once, each of a customer of its own. */
const AT_ONCE = 4;

jest.setTimeout(60_000 + runs * 10_000);

/** A payment that both platforms have. */
const PAYMENT = { platform_a: '1823456', platform_b: 'a34e74db-53c7-4368-8fe7-bb87c83c7902' };

type Action =
  | { readonly kind: 'change'; readonly fields: readonly string[]; readonly by: Platform | 'canonical' }
  /** Records that one platform lacks. */
  | { readonly kind: 'create'; readonly what: 'payment' | 'project' | 'customer' | 'contract' }
  | { readonly kind: 'edit'; readonly platform: Platform }
  | { readonly kind: 'connect'; readonly platform: Platform }
  | { readonly kind: 'rest'; readonly milliseconds: number };

interface Sequence {
  readonly actions: readonly Action[];
  readonly faults: Readonly<Record<Platform, readonly Fault[]>>;
}

const onPlatform = fc.constantFrom(...platforms);
const action: fc.Arbitrary<Action> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('change' as const),
      fields: fc.subarray(['notes', 'check_number', 'date'], { minLength: 1 }),
      by: fc.constantFrom('canonical' as const, ...platforms),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('create' as const),
      what: fc.constantFrom('payment' as const, 'project' as const, 'customer' as const, 'contract' as const),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.oneof(
      fc.record({ kind: fc.constant('edit' as const), platform: onPlatform }),
      fc.record({ kind: fc.constant('connect' as const), platform: onPlatform }),
    ),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('rest' as const), milliseconds: fc.constantFrom(5, 40, 90) }),
  },
);
const someFaults = fc.array(fc.constantFrom(...faults), { maxLength: 8 });
const sequence: fc.Arbitrary<Sequence> = fc.record({
  actions: fc.array(action, { minLength: 3, maxLength: 9 }),
  faults: fc.record({ platform_a: someFaults, platform_b: someFaults }),
});

/** Each fault alone, on a change and on a create, at both platforms. */
const singles: readonly Sequence[] = faults.map((fault): Sequence => ({
  actions: [
    { kind: 'create', what: 'payment' },
    { kind: 'create', what: 'project' },
    { kind: 'change', fields: ['notes'], by: 'canonical' },
  ],
  faults: { platform_a: [fault, fault], platform_b: [fault, fault] },
}));

describe('changes of platforms on which everything goes wrong', () => {
  const given = new GivenRecords();
  let app: RunningApp;
  let database: Pool;
  let text = 0;

  beforeAll(async () => {
    app = await startApp({}, [], given);
    app.app.get(PropagateWait, { strict: false }).milliseconds = 0;
    database = new Pool({ connectionString: app.databaseUrl, max: AT_ONCE });
  });
  afterAll(async () => {
    await database.end();
    await app.close();
  });

  const wake = (): void => app.app.get(Dispatcher, { strict: false }).wake();

  /** The lease is over, and with it whatever that instance was about to record. */
  async function die(commandId: string): Promise<void> {
    await database.query(
      `update outbox_commands set lease_owner = $2, lease_until = now() - interval '1 second'
       where id = $1 and decided_at is null`,
      [commandId, randomUUID()],
    );
    wake();
  }

  async function run(one: Sequence): Promise<void> {
    const client = new Client({ connectionString: app.databaseUrl });
    await client.connect();
    try {
      await carryOut(one, portfolioOf(app.url, await app.openSession(), client));
    } finally {
      await client.end();
    }
  }

  async function carryOut({ actions, faults: planned }: Sequence, portfolio: Portfolio): Promise<void> {
    let moment = 0;
    const now = (): number => (moment += 1);
    const far = {
      platform_a: new UnreliablePlatform('platform_a', die, now),
      platform_b: new UnreliablePlatform('platform_b', die, now),
    };
    for (const platform of platforms) given.use(portfolio.customerId, platform, far[platform]);
    for (const platform of platforms) await portfolio.connect(platform);
    for (const platform of platforms) far[platform].faults.push(...planned[platform]);

    const accepted = new Map<string, number>();
    for (const one of actions) {
      if (one.kind === 'rest') await sleep(one.milliseconds);
      else if (one.kind === 'connect') await portfolio.connect(one.platform);
      else if (one.kind === 'edit') far[one.platform].edit(PAYMENT[one.platform]);
      else {
        const id = await propagate(portfolio, one);
        if (id !== undefined) accepted.set(id, now());
      }
    }
    for (const platform of platforms) far[platform].faults.length = 0;
    await settled(portfolio);
    for (const platform of platforms) await portfolio.connect(platform);
    await expectTruth(portfolio, far, accepted);
    await expectTheSame(portfolio, far);
  }

  /** Asks for a change with values that nobody has used before; the ID of the change, where it changed anything. */
  async function propagate(
    portfolio: Portfolio,
    one: Extract<Action, { kind: 'change' | 'create' }>,
  ): Promise<string | undefined> {
    text += 1;
    const { status, body } = await (one.kind === 'create' ? create(portfolio, one) : change(portfolio, one));
    // Also a record that is still being created is changed: the change waits for it.
    expect(status).toBe(200);
    return body.data.propagation_id;
  }

  async function change(portfolio: Portfolio, { fields, by }: Extract<Action, { kind: 'change' }>) {
    const date = `20${10 + (text % 80)}-0${1 + (text % 9)}-1${text % 10}`;
    const values = { notes: `ours ${text}`, check_number: `OURS-${text}`, date };
    const names = {
      canonical: { notes: 'notes', check_number: 'check_number', date: 'date' },
      platform_a: { notes: 'notes', check_number: 'check_number', date: 'date' },
      platform_b: { notes: 'comment', check_number: 'externalDocumentNumber', date: 'postingDate' },
    };
    const all = Object.entries(values).filter(([field]) => fields.includes(field));
    const data = Object.fromEntries(
      all.map(([field, value]) => [names[by][field as keyof typeof values], value]),
    );
    if (by !== 'canonical') return portfolio.native(by, 'payment', PAYMENT[by], data);
    const [row] = await portfolio.sql<{ id: string }>(
      `select canonical_id as id from platform_records where customer_id = $1 and platform_id = $2`,
      [portfolio.customerId, PAYMENT.platform_a],
    );
    return portfolio.canonical('payment', row?.id ?? '', data);
  }

  function create(portfolio: Portfolio, { what }: Extract<Action, { kind: 'create' }>) {
    switch (what) {
      case 'payment':
        return portfolio.native('platform_a', 'payment', '1823391', { notes: `ours ${text}` });
      case 'project':
        return portfolio.native('platform_b', 'project', '7c6eed3d-9acd-41c1-a5b6-293950498ddd', {
          displayName: `Yas ${text}`,
        });
      case 'customer':
        return portfolio.native('platform_b', 'customer', 'a54b87d9-3385-49ec-b8d7-26aaaedc636b', {
          phoneNumber: `+971 2 555 ${text}`,
        });
      case 'contract':
        return portfolio.native('platform_b', 'contract', '453e9f7a-fe45-4074-b0fb-46a31126b7d7', {
          requestedDeliveryDate: `20${10 + (text % 80)}-05-05`,
        });
    }
  }

  async function settled(portfolio: Portfolio): Promise<void> {
    for (let attemptsLeft = 1_000; attemptsLeft > 0; attemptsLeft -= 1) {
      const open = await portfolio.sql(
        'select id from outbox_commands where customer_id = $1 and decided_at is null limit 1',
        [portfolio.customerId],
      );
      if (open.length === 0) return;
      // Nobody waits here for the pauses between attempts.
      await portfolio.sql(
        `update outbox_commands set not_before = now()
         where customer_id = $1 and decided_at is null and not_before > now() + interval '50 milliseconds'`,
        [portfolio.customerId],
      );
      wake();
      await sleep(15);
    }
    throw new Error('A command is still open');
  }

  /** Each command had no effect or one, and what is said of it is so. */
  async function expectTruth(
    portfolio: Portfolio,
    far: Readonly<Record<Platform, UnreliablePlatform>>,
    accepted: ReadonlyMap<string, number>,
  ): Promise<void> {
    const commands = await portfolio.sql<{ id: string; platform: Platform; status: string; change: string }>(
      'select id, platform, status, propagation_id as change from outbox_commands where customer_id = $1',
      [portfolio.customerId],
    );
    const known = new Map(commands.map((command) => [command.id, command]));
    for (const platform of platforms) {
      for (const id of far[platform].effects) expect(known.get(id)?.platform).toBe(platform);
      for (const { commandId, seen = Infinity } of far[platform].overwritten) {
        // What a user wrote is overwritten only by a writer who knew of it.
        expect(seen).toBeLessThan(accepted.get(known.get(commandId)?.change ?? '') ?? -1);
      }
    }
    for (const { id, platform, status, change: changeId } of commands) {
      const effects = far[platform].effects.filter((effect) => effect === id).length;
      const { body } = await portfolio.client.get(`/propagations/${changeId}`);
      const said = body.data.propagated[platform].status as string;
      expect(said).toBe(status);
      expect({ said, effects }).toEqual({ said, effects: possible(said, effects) });
    }
  }

  /** The effects that a command may have had of which this is said; the number there was, if it may have been that. */
  function possible(said: string, effects: number): number {
    if (said === 'applied') return 1;
    if (said === 'held') return Math.min(effects, 1);
    return 0;
  }

  /** Our records are the platforms’, and nothing is expected to come. */
  async function expectTheSame(
    portfolio: Portfolio,
    far: Readonly<Record<Platform, UnreliablePlatform>>,
  ): Promise<void> {
    for (const platform of platforms) {
      for (const type of storedEntityTypes) {
        const ours = new Map(
          (await portfolio.list(platform, type)).map((one) => [one.id, one.platform_data]),
        );
        const theirs = new Map(
          far[platform].payloads(type).map((one) => [stringifyJson(one.id).replaceAll('"', ''), one]),
        );
        expect(Object.fromEntries(ours)).toEqual(JSON.parse(JSON.stringify(Object.fromEntries(theirs))));
      }
    }
    const [left] = await portfolio.sql<{ count: number }>(
      `select (select count(*) from platform_records where customer_id = $1 and accepted is not null)::int
         + (select count(*) from propagations where customer_id = $1 and decided_at is null)::int as count`,
      [portfolio.customerId],
    );
    expect(left?.count).toBe(0);
  }

  async function campaign(sequences: readonly Sequence[]): Promise<void> {
    const waiting = [...sequences.entries()];
    const worker = async (): Promise<void> => {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
        const [place, one] = next;
        await run(one).catch((error: unknown) => {
          waiting.length = 0;
          const told = `FC_SEED=${seed}, sequence ${place}: ${JSON.stringify(one)}`;
          throw new Error(`${told}\n${error instanceof Error ? error.message : String(error)}`, {
            cause: error,
          });
        });
      }
    };
    const ended = await Promise.allSettled(Array.from({ length: AT_ONCE }, worker));
    const failed = ended.find((end) => end.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
  }

  it('have one effect or none for each fault at each step', () => campaign(singles));

  it(`have one effect or none in ${runs} random sequences of changes, faults, ends and edits of others`, () =>
    campaign(fc.sample(sequence, { seed, numRuns: runs })));
});
