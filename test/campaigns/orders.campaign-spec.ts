// The same records, connects and decisions come in random orders, on two instances: all orders have one result.
import { storedEntityTypes, type PlatformName, type StoredEntityType } from '@app/mapper';
import { fc } from '../../libs/mapper/src/testing/property';
import { api } from '../support/app/api';
import { startApp, type RunningApp } from '../support/app/app';
import { campaign } from '../support/campaign/campaign';
import { decide } from '../support/customers/deciding';
import { GivenRecords } from '../support/platforms/given-records';
import { connect, listing } from '../support/customers/listings';
import { nameOf, type Thing } from '../support/records/matching-model';
import { portfolio, type ShapedThing } from '../support/records/portfolio.arbitrary';

const platforms = ['platform_a', 'platform_b'] as const;

/** A decision of a person. The numbers select among the existing records. */
interface WantedDecision {
  readonly decision: 'link' | 'not_same';
  readonly pick: readonly [number, number];
}

interface Wanted {
  readonly decision: WantedDecision['decision'];
  readonly entityType: StoredEntityType;
  readonly onA: string;
  readonly onB: string;
}

const wish: fc.Arbitrary<WantedDecision> = fc.record({
  decision: fc.constantFrom('link' as const, 'not_same' as const),
  pick: fc.tuple(fc.nat(200), fc.nat(200)),
});

/** One order of the records, the connects and the decisions. */
const order = fc.record({
  records: fc.infiniteStream(fc.nat(1_000_000)),
  decisions: fc.infiniteStream(fc.nat(1_000_000)),
  first: fc.constantFrom(...platforms),
  /** Whether everything is read again between the decisions. */
  readsAgain: fc.boolean(),
});

campaign('orders', (campaign) => {
  const sources = new GivenRecords();
  let instances: readonly [RunningApp, RunningApp];
  beforeAll(async () => {
    const first = await startApp({ logLevel: 'silent' }, [], sources);
    const databaseUrl = first.databaseUrl;
    instances = [first, await startApp({ logLevel: 'silent', databaseUrl }, [], sources)];
  });
  afterAll(async () => {
    const [first, second] = instances;
    await second.close();
    await first.close();
  });

  /** Each record of a platform once, in its last version of the feed. */
  function recordsOf(feed: readonly ShapedThing[]): readonly ShapedThing[] {
    const things = new Map<string, ShapedThing>();
    for (const one of feed) {
      const known = things.get(nameOf(one.thing));
      if (known === undefined || known.thing.version <= one.thing.version) things.set(nameOf(one.thing), one);
    }
    return [...things.values()];
  }

  function wantedOf(things: readonly Thing[], wishes: readonly WantedDecision[]): readonly Wanted[] {
    const wanted = new Map<string, Wanted>();
    const onA = things.filter(({ platform }) => platform === 'platform_a');
    for (const { decision, pick } of wishes) {
      const one = onA[pick[0] % Math.max(onA.length, 1)];
      const others = things.filter(({ platform, type }) => platform === 'platform_b' && type === one?.type);
      const alike = others.filter(({ key }) => key === one?.key);
      const choice = alike.length > 0 && pick[1] % 3 > 0 ? alike : others;
      const other = choice[pick[1] % Math.max(choice.length, 1)];
      if (one === undefined || other === undefined) continue;
      const name = `${nameOf(one)} ${nameOf(other)}`;
      if (!wanted.has(name)) wanted.set(name, { decision, entityType: one.type, onA: one.id, onB: other.id });
    }
    return [...wanted.values()];
  }

  async function live(
    things: readonly ShapedThing[],
    wanted: readonly Wanted[],
    connects: readonly PlatformName[],
    readsAgain: boolean,
  ) {
    const { key, customerId } = await instances[0].openSession();
    const clients = instances.map(({ url }) => api(url, key));
    const client = (place: number) => clients[place % 2] ?? api(instances[0].url, key);
    for (const platform of platforms) {
      const own = things.filter(({ thing }) => thing.platform === platform);
      sources.give(
        customerId,
        platform,
        own.map(({ source }) => source),
      );
    }
    for (const [place, platform] of connects.entries()) await connect(client(place), platform);
    const made = new Set<Wanted>();
    // A decision that conflicts with another one is tried again, as long as that makes progress.
    for (let before = -1; before < made.size;) {
      before = made.size;
      for (const [place, one] of wanted.entries()) {
        if (made.has(one)) continue;
        const { decision, entityType, onA, onB } = one;
        const records = [`platform_a ${onA}`, `platform_b ${onB}`] as const;
        const { status } = await decide(client(place), decision, entityType, records);
        expect([200, 409]).toContain(status);
        if (status === 200) made.add(one);
        if (readsAgain && place === 0) await connect(client(1), 'platform_b');
      }
    }
    return { made, shows: await shownOf(client(0)) };
  }

  /** Everything that a customer sees. Objects are named by their records, because each customer has its own IDs. */
  async function shownOf(client: ReturnType<typeof api>): Promise<unknown> {
    const lists = await Promise.all(
      platforms.flatMap((platform) => storedEntityTypes.map((type) => listing(client, platform, type))),
    );
    const all = lists.flat();
    const names = new Map(
      all.map((one) => [
        one.canonical_id,
        `${one.entity_type} of ${one.mappings.map(({ platform, platform_id: id }) => `${platform} ${id}`).join(' = ')}`,
      ]),
    );
    const named = (value: unknown): unknown =>
      JSON.parse(JSON.stringify(value), (_name, text: unknown) =>
        typeof text === 'string' ? (names.get(text) ?? text) : text,
      );
    const statement = (await client.get('/reconciliation?currency=USD')).body.data;
    return {
      objects: all.map(({ platform, id, canonical_id, data, mappings }) =>
        named({ platform, id, canonical_id, data, mappings }),
      ),
      digest: statement.digest,
    };
  }

  const shuffled = <T>(list: readonly T[], numbers: Iterator<number>): readonly T[] =>
    list
      .map((one) => ({ one, at: numbers.next().value as number }))
      .toSorted((left, right) => left.at - right.at)
      .map(({ one }) => one);

  const ALL_TAKEN = 'orders in which all decisions were taken';

  campaign.part('give one result', async (time) => {
    const cases = fc.record({
      feed: portfolio,
      wishes: fc.array(wish, { minLength: 2, maxLength: 6 }),
      orders: fc.tuple(order, order),
    });
    for (const { feed, wishes, orders } of time.cases(cases)) {
      const things = recordsOf(feed);
      const wanted = wantedOf(
        things.map(({ thing }) => thing),
        wishes,
      );
      const first = await live(things, wanted, platforms, false);
      const taken = wanted.filter((one) => first.made.has(one));
      campaign.count('portfolios');
      campaign.count('decisions', taken.length);
      for (const one of orders) {
        const connects = one.first === 'platform_a' ? platforms : platforms.toReversed();
        const again = await live(
          shuffled(things, one.records),
          shuffled(taken, one.decisions),
          connects,
          one.readsAgain,
        );
        campaign.count('orders');
        // A link may be refused because the rule has made another link meanwhile. Then a person has to decide more.
        if (again.made.size < taken.length) continue;
        campaign.count(ALL_TAKEN);
        expect(again.shows).toEqual(first.shows);
      }
    }
    expect(campaign.counted(ALL_TAKEN)).toBeGreaterThan(campaign.counted('orders') * 0.8);
  });
});
