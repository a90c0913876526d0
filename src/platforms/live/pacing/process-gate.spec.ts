import { DatabaseUnavailable } from '../../../database/connection/database-errors';
import { Overloaded } from '../../../runtime/fairness/overloaded';
import { ManualTime } from '../testing/manual-time';
import { ProcessGate, type Visitor } from './process-gate';
import type { Visit } from './visit';

type Answer = Awaited<ReturnType<Visitor>> | Error;

const all = (visit: Visit): Answer => ({
  granted: visit.asks.map(({ id }) => id),
  waits: {},
  clock: 0,
});

describe('ProcessGate', () => {
  const { signal } = new AbortController();

  /** A gate whose visits are answered in turn, and then let everybody in. */
  const gateWith = (...answers: ((visit: Visit) => Answer)[]) => {
    const visits: Visit[] = [];
    const time = new ManualTime();
    let idle: () => void;
    const isIdle = new Promise<void>((resolve) => (idle = resolve));
    const gate = new ProcessGate(
      'me',
      async (visit) => {
        visits.push(visit);
        await Promise.resolve();
        const answer = (answers.shift() ?? all)(visit);
        if (answer instanceof Error) throw answer;
        return answer;
      },
      time,
      () => idle(),
    );
    return { gate, visits, time, isIdle };
  };

  it('tells what left together with what wants in', async () => {
    const { gate, visits, isIdle } = gateWith();
    const first = await gate.enter('read', 'customer', signal, Infinity);
    first.leave(null);
    first.leave('unsent'); // Only the first time counts.
    const second = gate.enter('read', 'customer', signal, Infinity);
    (await second).leave('unsent');
    await isIdle;
    const told = visits.flatMap(({ leaves }) => leaves.map(({ facts }) => facts));
    expect(told).toEqual([null, 'unsent']);
    expect(visits.every(({ who }) => who === 'me')).toBe(true);
  });

  it('waits on while there is too much other work', async () => {
    const { gate, time } = gateWith(
      () => new Overloaded('busy'),
      () => new Overloaded('busy'),
    );
    const permit = await gate.enter('read', 'customer', signal, Infinity);
    permit.leave(null);
    expect(time.slept.slice(0, 2)).toEqual([1_000, 1_000]);
  });

  it('waits on no longer than its patience', async () => {
    const busy = () => new Overloaded('busy');
    const { gate } = gateWith(busy, busy, busy, busy);
    await expect(gate.enter('write', 'customer', signal, 1_500)).rejects.toThrow(Overloaded);
  });

  it('gives up when the database is away', async () => {
    const { gate } = gateWith(() => new DatabaseUnavailable('away'));
    await expect(gate.enter('read', 'customer', signal, Infinity)).rejects.toThrow(DatabaseUnavailable);
  });

  it('tells what left when the database is back', async () => {
    const away = () => new DatabaseUnavailable('away');
    const { gate, visits, isIdle } = gateWith(all, away, away);
    (await gate.enter('read', 'customer', signal, Infinity)).leave(null);
    await isIdle;
    expect(visits.map(({ leaves }) => leaves.length)).toEqual([0, 1, 1, 1]);
  });

  it('stops telling when the places have run out anyway', async () => {
    const away = Array.from({ length: 100 }, () => () => new DatabaseUnavailable('away'));
    const { gate, visits, isIdle } = gateWith(all, ...away);
    (await gate.enter('read', 'customer', signal, Infinity)).leave(null);
    await isIdle;
    expect(visits.length).toBeLessThan(30);
  });

  it('gives back a place that came too late', async () => {
    const controller = new AbortController();
    const { gate, visits, isIdle } = gateWith((visit) => {
      controller.abort(new Error('enough'));
      return all(visit);
    });
    await expect(gate.enter('write', 'customer', controller.signal, Infinity)).rejects.toThrow('enough');
    await isIdle;
    expect(visits.flatMap(({ leaves }) => leaves)).toEqual([{ id: visits[0]?.asks[0]?.id, facts: 'unsent' }]);
  });
});
