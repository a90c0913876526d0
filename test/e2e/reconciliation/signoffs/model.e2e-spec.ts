import { fc, randomCases, seed } from '../../../../libs/mapper/src/testing/property';
import { api } from '../../../support/app/api';
import { startApp, type RunningApp } from '../../../support/app/app';
import { GivenRecords, record } from '../../../support/platforms/given-records';
import { connect } from '../../../support/customers/listings';
import { makeLive } from '../../../support/live/live-connections';
import { MovingPlatform } from '../../../support/platforms/moving-platform';
import { StoredRecords } from '../../../support/database/stored-records';
import {
  a,
  b,
  checks,
  dates,
  Model,
  throughs,
  type Check,
  type ModelSignoff,
  type Side,
  type Through,
} from './signed-model';
import { readPlatform } from '../../../support/platforms/read-platform';

jest.setTimeout(240_000);

type Body = ReturnType<typeof JSON.parse>;

const command = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      does: fc.constant('change' as const),
      side: fc.constantFrom<Side>(a, b),
      check: fc.constantFrom(...checks),
      // Few amounts, so that differences go and return; none, so that records do.
      amount: fc.constantFrom(10, 20, 30, undefined),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      does: fc.constantFrom('accept' as const, 'take back' as const),
      at: fc.nat(5),
      through: fc.constantFrom<Through>(...throughs),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      does: fc.constant('sign' as const),
      role: fc.constantFrom('prepared' as const, 'reviewed' as const),
      name: fc.constantFrom('ada', 'bob', 'cyd'),
      through: fc.constantFrom<Through>(...throughs),
    }),
  },
  { weight: 2, arbitrary: fc.record({ does: fc.constant('withdraw' as const), at: fc.nat(9) }) },
);

const payment = (side: Side, check: Check, amount: number) =>
  side === a
    ? record('payment', {
        id: check,
        amount: amount.toFixed(2),
        check_number: `CHK-${check}`,
        date: dates[check][a],
      })
    : record('payment', {
        id: `b${check}`,
        amount: -amount,
        currencyCode: 'USD',
        externalDocumentNumber: `CHK-${check}`,
        postingDate: dates[check][b],
      });

describe(`signed and accepted figures (FC_SEED=${seed})`, () => {
  const sources = new GivenRecords();
  let service: RunningApp;
  let stored: StoredRecords;
  beforeAll(async () => {
    service = await startApp({ logLevel: 'error', syncIntervalMs: 0 }, [], sources);
    stored = await StoredRecords.open(service.databaseUrl);
  });
  afterAll(async () => {
    await stored.close();
    await service.close();
  });

  /** The books of a model on two platforms whose records come and go. */
  async function openBooks(model: Model) {
    const { key, customerId } = await service.openSession();
    const client = api(service.url, key);
    const platforms = { [a]: new MovingPlatform([]), [b]: new MovingPlatform([]) };
    for (const side of [a, b] as const) {
      for (const check of checks) {
        const amount = model.amounts[check][side];
        if (amount !== undefined) platforms[side].put(payment(side, check, amount));
      }
      sources.use(customerId, side, platforms[side]);
      await makeLive(stored, customerId, side);
      await connect(client, side);
    }
    const change = async (side: Side, check: Check, amount: number | undefined): Promise<void> => {
      if (amount === undefined) platforms[side].remove('payment', side === a ? String(check) : `"b${check}"`);
      else platforms[side].put(payment(side, check, amount));
      await readPlatform(service, { customerId, platform: side });
    };
    const get = async (path: string): Promise<Body> => {
      const { status, body } = await client.get(`/reconciliation${path}`);
      expect({ status, error: body.error }).toEqual({ status: 200, error: undefined });
      return body.data;
    };
    return { client, change, get };
  }

  const scopeOf = (through: Through): string =>
    `entity_type=payment${through === undefined ? '' : `&through=${through}`}`;

  /** The name of a case in the model, and its ID. */
  const namesOf = (model: Model, cases: readonly Body[]): ReadonlyMap<string, string> =>
    new Map(
      cases.map(({ id, kind, field, platform, number, records }: Body): [string, string] => {
        const check = Number(/\d/.exec(number ?? records[0].platform_id)?.[0]) as Check;
        if (kind === 'disagreement') return [`${check} ${field}`, id];
        const isPair = model.amounts[check][a] !== undefined && model.amounts[check][b] !== undefined;
        return [`${check} ${platform}${isPair ? ' alone in June' : ''}`, id];
      }),
    );

  /** The changes of a sign-off by the name of the figure. */
  const changesOf = ({ changes }: Body): Record<string, readonly unknown[]> =>
    Object.fromEntries(
      changes.map(({ part, line, platform, before, after }: Body) => [
        [part, line, platform].filter((word) => word !== null).join(' '),
        [before, after].map(({ count, amount }) => (amount === null ? [count] : [count, amount.amount])),
      ]),
    );

  it('never hide a new difference, and never move unseen', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(command, { minLength: 12, maxLength: 20 }), async (commands) => {
        const model = new Model();
        const { client, change, get } = await openBooks(model);
        const list = async (through: Through, state: string) =>
          namesOf(model, await get(`/cases?${scopeOf(through)}&state=${state}`));
        const sign = async (role: ModelSignoff['role'], name: string, through: Through): Promise<void> => {
          const { as_of, digest, complete } = await get(`?currency=USD&${scopeOf(through)}`);
          expect(complete).toBe(true);
          const { status, body } = await client.post('/reconciliation/signoffs', {
            ...{ as_of, digest, role, currency: 'USD', entity_type: 'payment', signed_by: name },
            ...(through !== undefined && { through }),
          });
          expect(status).toBe(model.maySign(digest, role, name) ? 200 : 409);
          if (status !== 200) return;
          const figures = model.figures(through);
          model.signoffs.push({ id: body.data.id, role, name, digest, through, figures, withdrawn: false });
        };
        const withdraw = async (signoff: ModelSignoff): Promise<void> => {
          const { status } = await client.send('DELETE', `/reconciliation/signoffs/${signoff.id}`, {
            body: { reason: 'A mistake', decided_by: 'ada' },
          });
          expect(status).toBe(model.mayWithdraw(signoff) ? 200 : 409);
          signoff.withdrawn = status === 200;
        };
        const review = async (does: 'accept' | 'take back', at: number, through: Through): Promise<void> => {
          const chosen = [...(await list(through, does === 'accept' ? 'open' : 'accepted'))].toSorted();
          const [name, id] = chosen[at % chosen.length] ?? [];
          const values = name === undefined ? undefined : model.differences.get(name)?.values;
          if (name === undefined || values === undefined) return expect(chosen).toEqual([]);
          const accepted = does === 'accept' ? { reason: 'Known', decided_by: 'ada' } : null;
          const { status } = await client.send('PATCH', `/reconciliation/cases/${id}`, {
            body: { accepted },
          });
          expect(status).toBe(200);
          if (does === 'accept') model.accepted.set(name, values);
          else model.accepted.delete(name);
        };
        for (const one of commands) {
          if (one.does === 'change') {
            await change(one.side, one.check, one.amount);
            model.set(one.side, one.check, one.amount);
          } else if (one.does === 'sign') await sign(one.role, one.name, one.through);
          else if (one.does === 'withdraw') {
            const standing = model.standing();
            const chosen = standing[one.at % standing.length];
            if (chosen !== undefined) await withdraw(chosen);
          } else await review(one.does, one.at, one.through);

          for (const through of throughs)
            for (const state of ['open', 'accepted'] as const)
              expect([...(await list(through, state)).keys()].toSorted()).toEqual(
                model.listed(through, state),
              );
          const signoffs: Body[] = await get('/signoffs');
          expect(signoffs.map(({ id, state, current }) => [id, state, current])).toEqual(
            model.signoffs
              .toReversed()
              .map((own) => [
                own.id,
                own.withdrawn ? 'withdrawn' : 'standing',
                !own.withdrawn && Object.keys(model.changes(own)).length === 0,
              ]),
          );
          for (const own of model.signoffs)
            expect(changesOf(signoffs.find(({ id }) => id === own.id))).toEqual(model.changes(own));
        }
        for (const { id, digest, through } of model.signoffs) {
          const { as_of } = await get(`/signoffs/${id}`);
          const then = await get(`?currency=USD&${scopeOf(through)}&as_of=${as_of}`);
          expect(then.digest).toBe(digest);
        }
      }),
      {
        numRuns: randomCases(1),
        // Smaller sequences take too long to look for.
        endOnFailure: true,
      },
    );
  });
});
