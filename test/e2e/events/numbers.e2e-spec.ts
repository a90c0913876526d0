import { randomUUID } from 'node:crypto';
import { Client } from 'pg';
import { fc, randomCases } from '../../../libs/mapper/src/testing/property';
import { api } from '../../support/app/api';
import { startApp, type RunningApp } from '../../support/app/app';
import { FeedReader } from '../../support/customers/feed';

jest.setTimeout(240_000);

/** What one of some writers, or of some readers, does next. */
type Step =
  | { readonly do: 'write'; readonly writer: number; readonly events: number }
  | { readonly do: 'commit' | 'roll back'; readonly writer: number }
  | { readonly do: 'read'; readonly reader: number };

const [WRITERS, READERS] = [3, 3];
const writer = fc.nat(WRITERS - 1);
const steps = fc.array(
  fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({
        do: fc.constant('write' as const),
        writer,
        events: fc.integer({ min: 1, max: 4 }),
      }),
    },
    { weight: 2, arbitrary: fc.record({ do: fc.constant('commit' as const), writer }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('roll back' as const), writer }) },
    { weight: 3, arbitrary: fc.record({ do: fc.constant('read' as const), reader: fc.nat(READERS - 1) }) },
  ),
  { minLength: 5, maxLength: 40 },
);

describe('readers of the feed beside writers that commit in any order', () => {
  let instances: readonly RunningApp[];
  const writers: Client[] = [];
  beforeAll(async () => {
    const first = await startApp();
    instances = [first, await startApp({ databaseUrl: first.databaseUrl })];
    for (let one = 0; one < WRITERS; one += 1) {
      const client = new Client({ connectionString: first.databaseUrl });
      await client.connect();
      writers.push(client);
    }
  });
  afterAll(async () => {
    for (const client of writers) await client.end();
    for (const app of [...instances].reverse()) await app.close();
  });

  it('see each committed event once, in one order without gaps, whatever they read between', async () => {
    await fc.assert(
      fc.asyncProperty(steps, async (sequence: readonly Step[]) => {
        const [app] = instances;
        if (app === undefined) throw new Error('There is no instance');
        const { key, customerId } = await app.issueKey('test');
        const clients = instances.map(({ url }) => api(url, key));
        const readers = Array.from({ length: READERS }, () => new FeedReader());
        const open = writers.map((): string[] => []);
        const committed: string[] = [];
        const end = async (place: number, isKept: boolean): Promise<void> => {
          const written = open[place]?.splice(0) ?? [];
          if (written.length === 0) return;
          await writers[place]?.query(isKept ? 'commit' : 'rollback');
          if (isKept) committed.push(...written);
        };
        const read = (place: number) => {
          const client = clients[place % clients.length];
          return client === undefined ? undefined : readers[place]?.read(client);
        };
        for (const step of sequence) {
          if (step.do === 'read') await read(step.reader);
          else if (step.do !== 'write') await end(step.writer, step.do === 'commit');
          else {
            const written = open[step.writer];
            if (written?.length === 0) await writers[step.writer]?.query('begin');
            for (let event = 0; event < step.events; event += 1) {
              const name = randomUUID();
              written?.push(name);
              await writers[step.writer]?.query(
                `insert into events (customer_id, at, cause_id, place, type, data)
                 values ($1, clock_timestamp(), $2, 1, 'run.completed', json_build_object('run_id', $2::uuid,
                   'platform', 'platform_a', 'mode', 'sandbox', 'complete', true, 'whole', true, 'gaps', '[]'::json,
                   'entities', '{}'::json, 'added', 0, 'changed', 0, 'restored', 0, 'linked', 0, 'deleted', 0,
                   'deletions_held', 0))`,
                [customerId, name],
              );
            }
          }
        }
        for (const place of writers.keys()) await end(place, true);
        for (const place of readers.keys()) await read(place);
        for (const { events } of readers) {
          expect(events.map(({ data }) => data.run_id).toSorted()).toEqual(committed.toSorted());
          expect(events.map((event) => event.sequence)).toEqual(events.map((_, place) => place + 1));
          expect(events).toEqual(readers[0]?.events);
        }
      }),
      { numRuns: randomCases(8) },
    );
  });
});
