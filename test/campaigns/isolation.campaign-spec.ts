// Every ID of one customer is offered by another in every slot of every route, with keys of each permission: nothing is read, written or told.
import { fc } from '../../libs/mapper/src/testing/property';
import { PERMISSIONS } from '../../src/auth/keys/permissions';
import { HostResolver } from '../../src/webhook-endpoints/address/endpoint-addresses';
import { masterKey } from '../e2e/credentials/master-keys';
import type { Answer } from '../support/api';
import { startApp, type RunningApp } from '../support/app';
import { campaign } from '../support/campaign';
import { about, exampleRequests, filled, type ExampleRequest, type Slot } from '../support/described-slots';
import { clientWith, markedCustomer, rowsAtRest, type MarkedCustomer } from '../support/marked-customer';
import { madeUp, readIds } from '../support/offered-ids';
import { StoredRecords } from '../support/stored-records';

/** In every text of the customer whose IDs are offered. */
const MARK = 'only-of-alice';

/** Pairs between two looks at all that this customer has. */
const PAIRS = 2_000;

/** One of so many IDs is not offered. */
const WITHHELD = 4;

/** Standard deviations that the pairs in which the true ID takes longer may be away from a half. */
const FAR_OFF = 6;

/** An answer, and the milliseconds until it came. */
type Timed = Answer & { readonly ms: number };

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
    const own = await readIds(bob.client);
    known = [...(await readIds(alice.client))].filter(([id]) => !own.has(id));
    before = await rowsAtRest(stored, alice);
  });
  afterAll(async () => {
    await stored.close();
    await app.close();
  });

  campaign.part('tells and takes nothing', async (time) => {
    // What was offered as a text is Bob's own text from then on, so some IDs are never offered: no answer may have them. A cursor is
    // a position among records, which both customers' sandboxes have alike.
    const isWithheld = (place: number): boolean => place % WITHHELD === campaign.seed % WITHHELD;
    const offered = known.filter((_, place) => !isWithheld(place));
    const withheld = known.filter(([, name], place) => isWithheld(place) && !isCursor(name));
    const secret = new Set(withheld.map(([id]) => id));
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
      expect(answer.text).not.toContain(MARK);
      const words = answer.text.match(/[\w:=+/-]{8,}/g) ?? [];
      const told = words.filter((word) => secret.has(word));
      expect({ method, path, body, told }).toEqual({ method, path, body, told: [] });
      return { ...answer, ms };
    }

    const offer = fc.record({
      slot: fc.constantFrom(...slots),
      known: fc.constantFrom(...offered),
      // Half of all with a key that may do everything.
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
      // What the own state made different, such as a decision that stands already, is different once.
      for (let again = 0; again < 3 && !isAlike(answer, id, other, none); again += 1)
        [answer, other] = await pair();
      const told = `${request.route} ${JSON.stringify(slot)} ${id}`;
      // A cursor says in itself which query it belongs to.
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
});

const isCursor = (name: string): boolean => name.endsWith('cursor');

/** Whether two answers say the same but for the text that was asked about, times and IDs of requests. */
function isAlike(one: Answer, text: string, other: Answer, otherText: string): boolean {
  if (one.status !== other.status) return false;
  return one.status < 300 || plain(one, text) === plain(other, otherText);
}

function plain({ body }: Answer, text: string): string {
  const { type, message } = body.error as { readonly type: string; readonly message: string };
  return `${type} ${message}`.replaceAll(text, 'ID').replaceAll(text.toLowerCase(), 'ID');
}
