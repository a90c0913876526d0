import { fc, randomCases, seed } from '../../../libs/mapper/src/testing/property';
import { api } from '../../support/app/api';
import { startApp, type RunningApp } from '../../support/app/app';
import { decide, withdraw } from '../../support/customers/deciding';
import { GivenRecords, record } from '../../support/platforms/given-records';
import { connect } from '../../support/customers/listings';

jest.setTimeout(240_000);

const [a, b] = ['platform_a', 'platform_b'] as const;
const CHECKS = ['1', '2', '3'] as const;

type Side = typeof a | typeof b;
type Check = (typeof CHECKS)[number];
type Body = ReturnType<typeof JSON.parse>;

const command = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      does: fc.constant('change' as const),
      side: fc.constantFrom<Side>(a, b),
      check: fc.constantFrom<Check>(...CHECKS),
      // Few amounts, so that differences go and return.
      amount: fc.constantFrom(10, 20, 30),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      does: fc.constantFrom('accept' as const, 'take back' as const),
      at: fc.nat(5),
    }),
  },
  // Parted records are no difference of one object any more, and linked ones are one again.
  {
    weight: 2,
    arbitrary: fc.record({ does: fc.constant('part or join' as const), check: fc.constantFrom(...CHECKS) }),
  },
);

/** A difference by what it is about: its values, and what it adds to its line. */
interface Difference {
  readonly line: string;
  readonly values: string;
  readonly amount: number;
}

/** What the books are, and what is accepted of their differences. */
class Model {
  readonly amounts: Record<Side, Record<Check, number>> = {
    [a]: { 1: 10, 2: 10, 3: 10 },
    [b]: { 1: 20, 2: 10, 3: 30 },
  };
  readonly parted = new Map<Check, string>();
  /** Values with which each difference was accepted, by name. */
  readonly accepted = new Map<string, string>();

  get differences(): ReadonlyMap<string, Difference> {
    const found = new Map<string, Difference>();
    for (const check of CHECKS) {
      const [onA, onB] = [this.amounts[a][check], this.amounts[b][check]];
      if (this.parted.has(check)) {
        found.set(`${a} ${check}`, { line: `only_on_${a}`, values: `${onA}`, amount: -onA * 100 });
        found.set(`${b} b${check}`, { line: `only_on_${b}`, values: `${onB}`, amount: onB * 100 });
      } else if (onA !== onB) {
        const amount = (onB - onA) * 100;
        found.set(`${a} ${check}, ${b} b${check}`, {
          line: 'amounts_disagree',
          values: `${onA} ${onB}`,
          amount,
        });
      }
    }
    return found;
  }

  /** An acceptance ends for good when its difference goes or has other values. */
  settle(): void {
    const { differences } = this;
    for (const [name, values] of this.accepted)
      if (differences.get(name)?.values !== values) this.accepted.delete(name);
  }
}

/** The name of a case in the model. */
function nameOf({ kind, platform, records }: Body): string {
  const own = kind === 'only_on' ? records.filter((one: Body) => one.platform === platform) : records;
  return own.map((one: Body) => `${one.platform} ${one.platform_id}`).join(', ');
}

/** The lines of a statement that the model has: objects and amounts, and what is accepted of them. */
function linesOf(statement: Body): Record<string, readonly number[]> {
  const named = ['amounts_disagree', `only_on_${a}`, `only_on_${b}`];
  return Object.fromEntries(
    statement.types[0].totals.lines
      .filter(({ cause }: Body) => named.includes(cause))
      .map(({ cause, objects, amount, accepted }: Body) => [
        cause,
        [objects, amount.amount, accepted.objects, accepted.amount.amount],
      ]),
  );
}

function linesOfModel({ differences, accepted }: Model): Record<string, readonly number[]> {
  return Object.fromEntries(
    ['amounts_disagree', `only_on_${a}`, `only_on_${b}`].map((line) => {
      const own = [...differences].filter(([, one]) => one.line === line);
      const part = own.filter(([name]) => accepted.has(name));
      const sum = (some: typeof own) => some.reduce((total, [, { amount }]) => total + amount, 0);
      return [line, [own.length, sum(own), part.length, sum(part)]];
    }),
  );
}

describe(`accepted differences (FC_SEED=${seed})`, () => {
  const sources = new GivenRecords();
  let service: RunningApp;
  beforeAll(async () => {
    service = await startApp({ logLevel: 'error' }, [], sources);
  });
  afterAll(() => service.close());

  async function openBooks(model: Model) {
    const { key, customerId } = await service.openSession();
    const client = api(service.url, key);
    const read = async (side: Side): Promise<void> => {
      const payments = CHECKS.map((check) => [check, model.amounts[side][check]] as const);
      sources.give(
        customerId,
        side,
        payments.map(([check, amount]) =>
          side === a
            ? record('payment', {
                id: Number(check),
                amount: amount.toFixed(2),
                check_number: `CHK-${check}`,
              })
            : record('payment', {
                id: `b${check}`,
                amount: -amount,
                currencyCode: 'USD',
                externalDocumentNumber: `CHK-${check}`,
              }),
        ),
      );
      await connect(client, side);
    };
    await read(a);
    await read(b);
    const get = async (path: string): Promise<Body> => {
      const { status, body } = await client.get(`/reconciliation${path}`);
      expect({ status, error: body.error }).toEqual({ status: 200, error: undefined });
      return body.data;
    };
    const partOrJoin = async (check: Check): Promise<void> => {
      const decided = model.parted.get(check);
      const records = [`${a} ${check}`, `${b} b${check}`] as const;
      const { status, body } = await (decided === undefined
        ? decide(client, 'not_same', 'payment', records)
        : withdraw(client, decided));
      expect(status).toBe(200);
      if (decided === undefined) model.parted.set(check, body.data.id);
      else model.parted.delete(check);
    };
    const accept = async (id: string, accepted: object | null): Promise<void> => {
      const { status } = await client.send('PATCH', `/reconciliation/cases/${id}`, { body: { accepted } });
      expect(status).toBe(200);
    };
    const ofState = (state: string, query = ''): Promise<Body[]> =>
      get(`/cases?entity_type=payment&state=${state}${query}`);
    const statement = (query = ''): Promise<Body> => get(`?entity_type=payment${query}`);
    return { read, partOrJoin, accept, ofState, statement };
  }

  it('never hide another one, and add up, now and as of then', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(command, { minLength: 6, maxLength: 10 }), async (commands) => {
        const model = new Model();
        const { read, partOrJoin, accept, ofState, statement } = await openBooks(model);
        const names = (cases: readonly Body[]) => cases.map(nameOf).toSorted();
        const states: { said: Body; open: readonly string[]; accepted: readonly string[] }[] = [];
        for (const one of commands) {
          if (one.does === 'change') {
            model.amounts[one.side][one.check] = one.amount;
            await read(one.side);
          } else if (one.does === 'part or join') await partOrJoin(one.check);
          else {
            const cases = await ofState(one.does === 'accept' ? 'open' : 'accepted');
            const chosen = cases[one.at % cases.length];
            if (chosen === undefined) continue;
            const difference = model.differences.get(nameOf(chosen));
            if (difference === undefined) throw new Error(`The model has no ${nameOf(chosen)}`);
            if (one.does === 'accept') model.accepted.set(nameOf(chosen), difference.values);
            else model.accepted.delete(nameOf(chosen));
            await accept(chosen.id, one.does === 'accept' ? { reason: 'Known', decided_by: 'Ada' } : null);
          }
          model.settle();
          const said = await statement();
          expect(linesOf(said)).toEqual(linesOfModel(model));
          const [open, accepted] = [names(await ofState('open')), names(await ofState('accepted'))];
          expect(accepted).toEqual([...model.accepted.keys()].toSorted());
          expect(open).toEqual(
            [...model.differences.keys()].filter((name) => !model.accepted.has(name)).toSorted(),
          );
          states.push({ said, open, accepted });
        }
        for (const { said, open, accepted } of states) {
          const then = `&as_of=${said.as_of}`;
          expect(await statement(then)).toEqual(said);
          expect(names(await ofState('open', then))).toEqual(open);
          expect(names(await ofState('accepted', then))).toEqual(accepted);
        }
      }),
      { numRuns: randomCases(2) },
    );
  });
});
