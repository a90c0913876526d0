import { deepStrictEqual } from 'node:assert';
import { join } from 'node:path';
import { previewTranslation, readMapperContext } from '@app/mapper';
import { startScript, type Child } from '../harness/children';
import type { Bench, Figure, Measurement } from '../harness/figure';
import { load, wireOf, type Call } from '../harness/load';
import { short } from '../harness/paired';
import { repeat } from '../harness/repeat';
import { median } from '../harness/statistics';
import { invoice } from '../portfolio/invoice-of-three-kilobytes';
import { makeCustomer } from '../service/customer';
import { startService } from '../service/service';

const CONNECTIONS = 32;

const body = JSON.stringify({
  source: 'platform_b',
  target: 'platform_a',
  entity_type: 'invoice',
  data: invoice,
});

/**
 * P1: `POST /transform` of an invoice with lines, with a key, against servers that parse the same body and send it back;
 * and Nest with the mapper alone against the same, which is what the stack leaves for all else.
 * Unit: answers per second. The generator runs in the bench's process; its share of a core is in the notes.
 */
export const transform: Figure = {
  ids: ['P1'],
  title: 'POST /transform against a bare echo',
  run: measure,
};

async function measure(bench: Bench): Promise<readonly Measurement[]> {
  const { databases, folder, quick, progress } = bench;
  const database = await databases.create('bench_p1');
  const customer = await makeCustomer(database);
  const service = await startService(database.url, { folder, name: 'p1-service' });
  try {
    const seconds = quick ? 1 : 2;
    const shares: number[] = [];
    const rate = async (url: string, call: Call): Promise<number> => {
      const loaded = await load({ url, connections: CONNECTIONS, seconds, next: () => call });
      shares.push(loaded.generatorShare);
      return loaded.rate;
    };
    const ours: Call = {
      wire: wireOf('POST', '/api/v1/transform', { key: customer.key, body }),
      check: checkOf(customer.id),
    };
    const echo: Call = {
      wire: wireOf('POST', '/echo', { body }),
      check: (answer) => deepStrictEqual(answer.body?.toString(), body),
    };
    const alone = await startServer('bench/floors/nest-with-mapper.ts', folder);
    const rivals = [
      { name: '', ours: ours, url: service.url, title: 'POST /transform' },
      { name: ' alone', ours: { wire: ours.wire }, url: alone.url, title: 'Nest and the mapper alone' },
    ];
    const rows: Measurement[] = [];
    try {
      for (const floor of floors) {
        const server = await startServer(floor.script, folder);
        try {
          for (const rival of rivals) {
            shares.length = 0;
            const name = `${floor.name}${rival.name}`;
            const paired = await repeat(
              bench,
              progress.named(name),
              'rate',
              { floor: () => rate(server.url, echo), ours: () => rate(rival.url, rival.ours) },
              { warmUps: 2 },
            );
            rows.push({
              name,
              ours: `${rival.title}, ${Buffer.byteLength(body)} bytes, ${CONNECTIONS} connections`,
              floor: floor.title,
              unit: 'answers/s',
              comparison: 'rate',
              // The other only informs: nothing on this stack can be faster.
              ...(rival.url === service.url && { mark: floor.mark }),
              ...paired,
              notes: [`the generator takes ${short(median(shares))} of a core`],
            });
          }
        } finally {
          await server.stop();
        }
      }
    } finally {
      await alone.stop();
    }
    return rows;
  } finally {
    await service.stop();
    await database.drop();
  }
}

async function startServer(script: string, folder: string): Promise<Child & { readonly url: string }> {
  const server = startScript(script, { output: join(folder, 'p1-floor.log') });
  const [, port] = await server.matches(/^Listening on (\d+)$/m);
  return { ...server, url: `http://127.0.0.1:${port}` };
}

const floors = [
  {
    name: 'P1 Express',
    title: 'bare Express echo of the same body',
    script: 'bench/floors/express-echo.ts',
    mark: { atLeast: 1 },
  },
  {
    name: 'P1 node',
    title: 'bare node:http echo of the same body',
    script: 'bench/floors/node-echo.ts',
    mark: { atLeast: 0.3 },
  },
] as const;

/** Compares an answer with what the mapper makes of the invoice in this process. */
function checkOf(customerId: string): NonNullable<Call['check']> {
  const expected = previewTranslation({
    customerId,
    source: 'platform_b',
    target: 'platform_a',
    entityType: 'invoice',
    payload: invoice,
    context: readMapperContext({}),
    defaultCurrency: 'USD',
  });
  const canonical: unknown = JSON.parse(JSON.stringify(expected.canonical));
  const data: unknown = JSON.parse(JSON.stringify(expected.payload));
  return ({ body: text }) => {
    const answer = JSON.parse(text?.toString() ?? '') as { canonical: unknown; data: unknown }; // deepStrictEqual looks.
    deepStrictEqual(answer.canonical, canonical);
    deepStrictEqual(answer.data, data);
  };
}
