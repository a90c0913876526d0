// Every ID of one customer is offered by another in every slot of every route and every tool, with keys of each permission: nothing is read, written or told.
import { fc } from '../../libs/mapper/src/testing/property';
import { PERMISSIONS } from '../../src/auth/keys/permissions';
import { HostResolver } from '../../src/webhook-endpoints/address/endpoint-addresses';
import { masterKey } from '../e2e/credentials/master-keys';
import type { ApiResponse } from '../support/app/api';
import { startApp, type RunningApp } from '../support/app/app';
import { campaign } from '../support/campaign/campaign';
import {
  about,
  exampleRequests,
  filled,
  type ExampleRequest,
  type Slot,
} from '../support/description/described-slots';
import {
  clientWith,
  markedCustomer,
  rowsAtRest,
  type MarkedCustomer,
} from '../support/customers/marked-customer';
import { startAgent, type Called } from '../support/app/mcp-client';
import { madeUp, readIds } from '../support/description/offered-ids';
import { StoredRecords } from '../support/database/stored-records';

/** A mark in every text of the customer whose IDs are offered. */
const MARK = 'only-of-alice';

/** The number of pairs between two checks of all rows of this customer. */
const PAIRS = 2_000;

/** One in this number of IDs is not offered. */
const WITHHELD = 4;

/** The number of pairs of calls of one agent. The SDK's client keeps some memory of each. */
const OF_ONE_AGENT = 500;

/** Standard deviations by which the share of pairs in which the true ID takes longer may differ from one half. */
const FAR_OFF = 6;

/** An answer, and its duration in milliseconds. */
type Timed = ApiResponse & { readonly ms: number };

campaign('isolation', (campaign) => {
  let app: RunningApp;
  let stored: StoredRecords;
  let alice: MarkedCustomer;
  let bob: MarkedCustomer;
  const clients: MarkedCustomer['client'][] = [];
  /** Alice's IDs with the names of the members that show them, and all her rows. */
  let known: readonly (readonly [string, string])[];
  let before: unknown;
  beforeAll(async () => {
    app = await startApp({ credentialsKeys: [masterKey('isolation')], logLevel: 'error' });
    stored = await StoredRecords.open(app.databaseUrl);
    jest
      .spyOn(app.app.get(HostResolver, { strict: false }), 'resolve')
      .mockResolvedValue([{ address: '93.184.215.14', family: 4 }]);
    alice = await markedCustomer(app, MARK);
    bob = await markedCustomer(app, 'of-bob');
    clients.push(bob.client);
    for (const permission of PERMISSIONS) clients.push(await clientWith(app, bob, [permission]));
    // Sandboxes have the same native IDs for every customer, so all IDs of Bob count as his.
    const own = await readIds(bob.client, 500);
    known = [...(await readIds(alice.client, 5))].filter(([id]) => !own.has(id));
    before = await rowsAtRest(stored, alice);
  });
  afterAll(async () => {
    await stored.close();
    await app.close();
  });

  /**
   * The IDs that are offered, with their names, and the IDs that no answer may contain. An offered text is afterwards
   * also a text of Bob, so some IDs are never offered. A cursor is a position among records, which the sandboxes of
   * both customers have in common.
   */
  function sharedOut(): { readonly offered: typeof known; readonly secret: ReadonlySet<string> } {
    const isWithheld = (place: number): boolean => place % WITHHELD === campaign.seed % WITHHELD;
    const withheld = known.filter(([, name], place) => isWithheld(place) && !isCursor(name));
    return {
      offered: known.filter((_, place) => !isWithheld(place)),
      secret: new Set(withheld.map(([id]) => id)),
    };
  }

  /** @param about the request, for the report of a failure */
  function expectUntold(text: string, secret: ReadonlySet<string>, about: object): void {
    expect(text).not.toContain(MARK);
    const told = (text.match(/[\w:=+/-]{8,}/g) ?? []).filter((word) => secret.has(word));
    expect({ ...about, told }).toEqual({ ...about, told: [] });
  }

  campaign.part('tells and takes nothing', async (time) => {
    const { offered, secret } = sharedOut();
    const slots = exampleRequests().flatMap((request) =>
      request.slots.map((slot) => ({ request: about(request, bob.ids, madeUp(bob.ids.propagations)), slot })),
    );
    campaign.count('IDs offered', offered.length);
    campaign.count('IDs withheld', secret.size);
    campaign.count('slots', slots.length);

    async function send(
      client: MarkedCustomer['client'],
      request: ExampleRequest,
      slot: Slot,
      text: string,
    ): Promise<Timed> {
      const { method, path, headers, body } = filled(request, slot, text);
      const begin = performance.now();
      const answer = await client.send(method, path, { headers, ...(body !== undefined && { body }) });
      const ms = performance.now() - begin;
      expect(answer.status).toBeLessThan(500);
      expectUntold(answer.text, secret, { method, path, body });
      return { ...answer, ms };
    }

    const offer = fc.record({
      slot: fc.constantFrom(...slots),
      known: fc.constantFrom(...offered),
      // Half of the requests use a key with all permissions.
      client: fc.oneof(fc.constant(bob.client), fc.constantFrom(...clients)),
      trueFirst: fc.boolean(),
    });
    const pairs = { compared: 0, notFound: 0, slower: 0 };
    for (const {
      slot: place,
      known: [id, name],
      client,
      trueFirst,
    } of time.cases(offer)) {
      const { request, slot } = place;
      const none = madeUp(id);
      const pair = async (): Promise<readonly [Timed, Timed]> => {
        const first = await send(client, request, slot, trueFirst ? id : none);
        const second = await send(client, request, slot, trueFirst ? none : id);
        return trueFirst ? [first, second] : [second, first];
      };
      let [answer, other] = await pair();
      // A difference that follows from the own state, such as a decision that exists already, occurs once.
      for (let again = 0; again < 3 && !isAlike(answer, id, other, none); again += 1)
        [answer, other] = await pair();
      const told = `${request.route} ${JSON.stringify(slot)} ${id}`;
      // A cursor names the query to which it belongs.
      if (!isCursor(name) && !isAlike(answer, id, other, none))
        expect([told, answer.text]).toEqual([told, other.text]);
      pairs.compared += 1;
      if (answer.status === 404 && other.status === 404) {
        pairs.notFound += 1;
        if (answer.ms > other.ms) pairs.slower += 1;
      }
      if (pairs.compared % PAIRS === 0) expect(await rowsAtRest(stored, alice)).toEqual(before);
    }
    expect(await rowsAtRest(stored, alice)).toEqual(before);
    campaign.count('pairs of a true and a made-up ID', pairs.compared);
    campaign.count('pairs answered 404', pairs.notFound);
    campaign.count('of these slower with the true ID', pairs.slower);
    const deviation = Math.sqrt(pairs.notFound + 1) / 2;
    expect(Math.abs(pairs.slower - pairs.notFound / 2)).toBeLessThan(FAR_OFF * deviation);
  });

  campaign.part('tells and takes nothing over MCP', async (time) => {
    const { offered, secret } = sharedOut();
    let agent = await startAgent(app.url, bob.key);
    try {
      const { tools } = await agent.client.listTools();
      const slots = tools.flatMap(({ name: tool, inputSchema: { properties = {} } }) =>
        Object.keys(properties).map((member) => ({ tool, member })),
      );
      campaign.count('arguments of tools', slots.length);
      const usual = argumentsOf(bob);

      async function call(tool: string, member: string, text: string): Promise<string> {
        const given = { ...usual[tool], [member]: text };
        const { isError, texts, structured } = await agent.call(tool, given).catch(refused);
        const answer = JSON.stringify({ isError, texts, structured });
        expectUntold(answer, secret, { tool, given });
        // The result of a tool may contain data of Bob. A refusal must be the same for both IDs.
        return isError
          ? texts
              .join('\n')
              .replaceAll(text, 'ID')
              .replace(/req_\w+/g, 'req')
          : 'answered';
      }

      const offer = fc.record({ slot: fc.constantFrom(...slots), known: fc.constantFrom(...offered) });
      for (const {
        slot: { tool, member },
        known: [id, name],
      } of time.cases(offer)) {
        const [answer, other] = [await call(tool, member, id), await call(tool, member, madeUp(id))];
        if (!isCursor(name)) expect([tool, member, id, answer]).toEqual([tool, member, id, other]);
        campaign.count('pairs of calls of tools');
        if (campaign.counted('pairs of calls of tools') % OF_ONE_AGENT > 0) continue;
        await agent.close();
        agent = await startAgent(app.url, bob.key);
      }
      expect(await rowsAtRest(stored, alice)).toEqual(before);
    } finally {
      await agent.close();
    }
  });
});

/** The arguments of each tool that needs some, about data of the customer. */
function argumentsOf({ ids }: MarkedCustomer): Readonly<Record<string, object>> {
  const change = {
    ...{ format: 'canonical', canonical_id: ids.objects, entity_type: 'payment' },
    data: { notes: 'Proposed' },
  };
  const records = [
    { platform: 'platform_a', platform_id: '1823502' },
    { platform: 'platform_b', platform_id: '92fbc013-8f0d-4443-a376-030481c85182' },
  ];
  return {
    list_objects: { platform: 'platform_a', entity_type: 'payment' },
    get_object: { canonical_id: ids.objects },
    explain_link: { canonical_id: ids.objects },
    get_case: { id: ids.cases },
    describe_schema: { entity_type: 'payment' },
    translate: { source: 'platform_a', target: 'platform_b', entity_type: 'project', data: { id: 7 } },
    propose_change: change,
    apply_change: change,
    decide: { decision: 'same', entity_type: 'payment', reason: 'r', decided_by: 'Kim', records },
  };
}

/** The error that the SDK's client throws if the server refuses the call itself. */
const refused = (error: unknown): Called => ({
  isError: true,
  texts: [String(error)],
  structured: undefined,
});

const isCursor = (name: string): boolean => name.endsWith('cursor');

/** Whether two answers are equal, except for the offered text, times and request IDs. */
function isAlike(one: ApiResponse, text: string, other: ApiResponse, otherText: string): boolean {
  // An own field may have one text as its name where the other text was offered, because each offered text becomes a
  // text of Bob.
  if (one.text.includes(otherText) || other.text.includes(text)) return true;
  if (one.status !== other.status) return false;
  return one.status < 300 || plain(one, text) === plain(other, otherText);
}

function plain({ body }: ApiResponse, text: string): string {
  const { type, message } = body.error as { readonly type: string; readonly message: string };
  return `${type} ${message}`.replaceAll(text, 'ID').replaceAll(text.toLowerCase(), 'ID');
}
