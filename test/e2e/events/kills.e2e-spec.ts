import { setTimeout as sleep } from 'node:timers/promises';
import { api } from '../../support/app/api';
import { startApp, type RunningApp } from '../../support/app/app';
import { FeedReader } from '../../support/customers/feed';
import { portfolioOf, platforms } from '../../support/customers/portfolio';
import { servicesToKill } from '../../support/processes/services-to-kill';

jest.setTimeout(240_000);

const payments = ['1823456', '1823502', '1823517', '1823588'];

describe('the feed, while an instance that writes is killed', () => {
  // The one that stays need not be a process of its own. It ends before its database does.
  let calm: RunningApp;
  afterAll(() => calm.close());
  const services = servicesToKill();
  beforeAll(async () => {
    calm = await startApp({ databaseUrl: services.databaseUrl });
  });

  it('tells each change once, none that is not stored, and those of an object in their order', async () => {
    const customer = portfolioOf(calm.url, await calm.openSession(), services.client);
    for (const platform of platforms) await customer.connect(platform);
    const reader = new FeedReader();
    await reader.read(customer.client);
    const loaded = reader.events.length;
    const killed = await services.start();
    const [one, other] = [calm, killed].map(({ url }) => api(url, customer.key));
    if (one === undefined || other === undefined) throw new Error('There are two services');
    let [number, isOver] = [0, false];
    const write = async (client: typeof one, id: string): Promise<void> => {
      while (!isOver) {
        number += 1;
        const answer = await noted(client, id, number).catch(() => undefined);
        if (answer === undefined) return;
        expect([200, 409]).toContain(answer.status);
      }
    };
    const work = payments.flatMap((id) => [write(one, id), write(other, id)]);
    const reading = (async () => {
      while (!isOver) await reader.read(one);
    })();
    while (number < 12) await sleep(10);
    await sleep(400);
    await killed.kill();
    isOver = true;
    await Promise.all([...work, reading]);
    await reader.read(customer.client);
    const events = reader.events.slice(loaded);
    expect(reader.events.map(({ sequence }) => sequence)).toEqual(reader.events.map((_, place) => place + 1));

    const made = await customer.sql<{ id: string; canonical_id: string; notes: string }>(
      `select p.id, p.canonical_id from propagations p where p.customer_id = $1 order by p.created_at`,
      [customer.customerId],
    );
    const settled = events.filter(({ type }) => type === 'propagation.settled');
    expect(settled.map(({ data }) => data.propagation_id).toSorted()).toEqual(
      made.map(({ id }) => id).toSorted(),
    );
    const changed = events.filter(({ type }) => type === 'object.changed');
    expect(changed.map(({ data }) => data.origin.propagation_id).toSorted()).toEqual(
      made.map(({ id }) => id).toSorted(),
    );
    // Each change of an object begins with what the one before has left.
    for (const id of new Set(changed.map(({ data }) => data.canonical_id))) {
      const own = changed.filter(({ data }) => data.canonical_id === id);
      const notes = own.map(({ data }) =>
        data.fields.find((one: { field: string }) => one.field === 'notes'),
      );
      for (const [place, note] of notes.entries())
        if (place > 0) expect(note.before).toBe(notes[place - 1].after);
    }
  });
});

function noted(client: ReturnType<typeof api>, platform_id: string, number: number) {
  return client.post('/propagate', {
    format: 'platform',
    platform: 'platform_a',
    entity_type: 'payment',
    platform_id,
    data: { notes: `step ${number}` },
  });
}
