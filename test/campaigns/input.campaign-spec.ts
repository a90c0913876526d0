// Generated, damaged, hostile and slow requests over every route and every slot: no fault, no answer that the description of the API leaves out, no memory that grows, and nothing that another customer waits for.
import { setTimeout as sleep } from 'node:timers/promises';
import { memoryOf } from '../../bench/harness/cpu';
import { fc } from '../../libs/mapper/src/testing/property';
import { commandsOn } from '../e2e/cli/run-command';
import { connectedRecords, requests, type Sent } from '../e2e/openapi/request.arbitrary';
import { damaged, hostileText } from '../e2e/openapi/schema.arbitrary';
import { api } from '../support/app/api';
import { campaign } from '../support/campaign/campaign';
import { exampleRequests, filled } from '../support/description/described-slots';
import { servicesToKill } from '../support/processes/services-to-kill';
import { sendSlowly, slowRequests } from '../support/http/slow-requests';

const examples = exampleRequests();

/** Requests from the examples of the description, each with a hostile text in one slot or a damaged body. */
const mutated: fc.Arbitrary<Sent> = fc.constantFrom(...examples).chain((example) => {
  const slots = example.slots.map((slot) =>
    // Clients over plain sockets send the bytes that headers and URLs cannot contain.
    hostileText.map((text): Sent =>
      filled(example, slot, slot.in === 'header' ? printable(text) : Buffer.from(text).toString()),
    ),
  );
  const { method, path } = filled(example, { in: 'header', name: 'X-Request-ID' }, '');
  const damage = damaged(example.body ?? {}).map((body): Sent => ({ method, path, body }));
  return fc.oneof(...slots, ...(method === 'GET' ? [] : [damage]));
});

/** The number of connections on which requests arrive slowly, all the time. */
const SLOW = 24;

/** The share of the time after which the memory counts as warm. */
const WARM = 0.3;

/**
 * Runs of this length must keep the promise. In a shorter run one step of the heap is a large part of the growth, so
 * the figure is only shown.
 */
const LONG_MINUTES = 10;
const MOST_DRIFT = 1.05;
const MOST_WAIT_MS = 200;

campaign('input', (campaign) => {
  const services = servicesToKill();
  const commands = commandsOn(() => services.databaseUrl);

  campaign.part('meets no fault, grows by nothing and lets nobody wait', async (time) => {
    const service = await services.start({ logLevel: 'error' });
    // No demo keys, because a DELETE would end the session.
    const [own, other] = [await keyOf('Attacker'), await keyOf('Bystander')];
    const client = api(service.url, own);
    const records = await connectedRecords(client);
    await connectedRecords(api(service.url, other));
    const began = performance.now();
    const isWarm = (): boolean => performance.now() - began > campaign.minutes * 60_000 * WARM;
    const memory = { warm: 0 };
    const state = { over: false };
    const slow = Array.from({ length: SLOW }, (_, place) => sendSlowOnes(place));
    const bystander = longestWait();

    for (const { method, path, headers, body } of time.cases(fc.oneof(requests(records), mutated))) {
      // `send` compares the answer with the description.
      const { status } = await client.send(method, path, {
        ...(headers && { headers }),
        ...(method !== 'GET' && { body }),
      });
      campaign.count(`answers ${status}`);
      expect({ method, path, body, isFault: status >= 500 }).toEqual({ method, path, body, isFault: false });
      if (memory.warm === 0 && isWarm()) memory.warm = memoryOf(service.pid) ?? 0;
    }
    state.over = true;
    await Promise.all(slow);
    const waited = await bystander;
    const end = memoryOf(service.pid) ?? 0;
    campaign.most('ms that another customer waited', waited);
    campaign.count('MB when warm', memory.warm / 1024 ** 2);
    campaign.count('MB at the end', end / 1024 ** 2);
    expect(service.output.filter((line) => line.includes('"level":"error"'))).toEqual([]);
    if (campaign.minutes >= LONG_MINUTES) {
      expect(end).toBeLessThan(memory.warm * MOST_DRIFT);
      expect(waited).toBeLessThan(MOST_WAIT_MS);
    }

    async function sendSlowOnes(place: number): Promise<void> {
      for (let seed = campaign.seed + place; !state.over; seed += SLOW) {
        for (const request of fc.sample(slowRequests(examples, own), { seed, numRuns: 1 })) {
          const answer = await sendSlowly(service.url, request);
          campaign.count(answer === undefined ? 'slow without an answer' : `slow ${answer.status}`);
          expect({ request, isFault: (answer?.status ?? 0) >= 500 }).toEqual({ request, isFault: false });
        }
      }
    }

    /** The longest duration of consecutive requests of another customer, in milliseconds. */
    async function longestWait(): Promise<number> {
      const reader = api(service.url, other);
      let longest = 0;
      while (!state.over) {
        const sent = performance.now();
        expect((await reader.get('/objects?platform=platform_a&entity_type=payment')).status).toBe(200);
        longest = Math.max(longest, performance.now() - sent);
        await sleep(50);
      }
      return longest;
    }
  });

  async function keyOf(name: string): Promise<string> {
    return (await commands.aKey(await commands.aCustomer(name), 'test')).api_key;
  }
});

const printable = (text: string): string => text.replace(/[^\x20-\x7e]/g, '?').trim();
