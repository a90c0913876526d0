import { fc, looksFar, randomCases } from '../../../libs/mapper/src/testing/property';
import { AgreementsModule } from '../../../src/terms/agreements/agreements.module';
import { RatesModule } from '../../../src/terms/rates/rates.module';
import { startApp } from '../../support/app';
import { changeCalmly } from '../../support/customer-model/calm';
import { rounds, type Round } from '../../support/customer-model/commands';
import { ModelCustomer, type Service } from '../../support/customer-model/customer';
import { expectSame, perform } from '../../support/customer-model/performing';
import {
  expectCases,
  expectComparisons,
  expectEffects,
  expectPastObjects,
  expectPastStatements,
  expectStatement,
  lookAround,
  lookCloser,
  Seen,
} from '../../support/customer-model/standing';
import { expectHistory } from '../../support/customer-model/telling';
import { describedBy } from '../../support/described-calls';
import { GivenRecords } from '../../support/given-records';
import { platforms, type Platform } from '../../support/portfolio';
import { StoredRecords } from '../../support/stored-records';

/** Customers who live through rounds of commands. A few find what is new; `FC_TIMES=100` looks further. */
const runs = randomCases(2);

jest.setTimeout(120_000 + runs * 20_000);

describe('several clients of one customer, on two instances', () => {
  let service: Service;
  beforeAll(async () => {
    const sources = new GivenRecords();
    const settings = { logLevel: 'silent', syncIntervalMs: 0 } as const;
    const modules = [RatesModule, AgreementsModule];
    const first = await startApp(settings, modules, sources);
    const second = await startApp({ ...settings, databaseUrl: first.databaseUrl }, modules, sources);
    const stored = await StoredRecords.open(first.databaseUrl);
    service = { instances: [first, second], sources, stored, met: new Set() };
    describedBy(await (await fetch(`${first.url}/api/v1/openapi.json`)).json());
  });
  afterAll(async () => {
    await service.stored.close();
    await service.instances[1].close();
    await service.instances[0].close();
  });

  const recordsOn = (customer: ModelCustomer, platform: Platform): readonly string[] =>
    customer.shown
      .filter((one) => one.platform === platform && one.entity_type === 'payment')
      .map(({ id }) => id);

  async function live(customer: ModelCustomer, seen: Seen, { edits, commands, calm }: Round): Promise<void> {
    for (const edit of edits) customer.feeds[edit.platform].edit(edit);
    customer.pages.splice(0);
    customer.wins.clear();
    const keyed = customer.keyed.length;
    const before = new Map(customer.shown.map(({ canonical_id: id, version }) => [id, version]));
    const there = new Map(platforms.map((platform) => [platform, recordsOn(customer, platform)]));

    await Promise.all(commands.map((command) => perform(customer, command)));

    await lookAround(customer);
    for (const { platform, ids } of customer.pages) {
      const still = new Set(recordsOn(customer, platform));
      const standing = there.get(platform)?.filter((id) => still.has(id)) ?? [];
      expect(new Set(ids).size).toBe(ids.length);
      expect(standing.filter((id) => !ids.includes(id))).toEqual([]);
    }
    // A reading may bring back what was before, and with it its version.
    if (!commands.some((one) => one.do === 'read' || one.do === 'connect')) {
      for (const won of customer.wins.values()) expect(won.length).toBeLessThanOrEqual(1);
    }
    for (const one of customer.keyed.slice(keyed)) {
      const again = await one.send(1);
      if (again.headers.get('Idempotent-Replayed') === 'true') service.met.add('replayed');
      one.answer ??= again.status === 400 ? undefined : again;
      if (one.answer !== undefined) expectSame(again, one.answer);
    }
    await expectEffects(customer);
    await expectStatement(customer, seen);
    await expectCases(customer, seen);
    const other = customer.shown.filter(({ canonical_id: id, version }) => before.get(id) !== version);
    const some = [...other, ...customer.shown.slice(0, 3)].map(({ canonical_id: id }) => id);
    await lookCloser(customer, seen, new Set(some));

    const changed = await changeCalmly(customer, calm);
    await lookAround(customer);
    await expectEffects(customer);
    for (const id of new Set([changed, ...other.slice(0, 4).map((one) => one.canonical_id)])) {
      if (id !== undefined) await expectHistory(customer, id);
    }
  }

  it('find everything in order after each round, whatever they did at once', async () => {
    await fc.assert(
      fc.asyncProperty(rounds, async (all) => {
        const customer = await ModelCustomer.open(service);
        const seen = new Seen();
        await lookAround(customer);
        for (const round of all) await live(customer, seen, round);
        for (const one of customer.keyed) {
          const again = await one.send(0);
          if (one.answer !== undefined) expectSame(again, one.answer);
        }
        await expectEffects(customer);
        await expectPastStatements(customer, seen);
        await expectPastObjects(customer, seen);
        for (const [id] of [...customer.versions].filter(([, known]) => known.length > 1).slice(-6)) {
          const { status } = await customer.client(0).get(`/objects/${id}`);
          if (status === 200) await expectHistory(customer, id);
        }
        await expectComparisons(customer);
      }),
      // What happens at once happens otherwise the next time: a smaller example would show little.
      { numRuns: runs, endOnFailure: true },
    );
  });

  it('have done what can be done, and were refused what can be refused', () => {
    const always = ['change'];
    const often = [
      'change',
      'change 200',
      'connect',
      'read',
      'decide',
      'statement',
      'pages',
      'race',
      'replayed',
    ];
    const seldom = ['change 422', 'change 409 with details', 'link 200', 'link 409', 'not_same 200'];
    const rare = ['withdraw', 'cases', 'look', 'rate', 'precedence'];
    // A few customers do not meet everything.
    const all = !looksFar ? always : [...always, ...often, ...seldom, ...rare];
    expect(all.filter((one) => !service.met.has(one))).toEqual([]);
  });
});
