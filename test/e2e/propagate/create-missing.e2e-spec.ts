import { fc, randomCases } from '../../../libs/mapper/src/testing/property';
import { startFarService, type FarCustomer, type FarService } from '../../support/platforms/far-customer';
import { expectError } from '../../support/app/expectations';
import { knownIds, patches } from '../../support/records/patch.arbitrary';
import {
  platforms,
  storedTypes,
  type Platform,
  type Portfolio,
  type StoredType,
} from '../../support/customers/portfolio';

jest.setTimeout(300_000);

/** A payment that platform_a has alone. */
const PAYMENT = '1823391';
/** A project and a customer that platform_b has alone. */
const PROJECT = '7c6eed3d-9acd-41c1-a5b6-293950498ddd';
const CUSTOMER = 'a54b87d9-3385-49ec-b8d7-26aaaedc636b';

const NAMED = expect.stringContaining('create_missing') as string;

describe('POST /propagate, of a record that a platform lacks', () => {
  let service: FarService;

  beforeAll(async () => {
    service = await startFarService();
  });
  afterAll(() => service.close());

  const change = (customer: Portfolio, type: StoredType, platform: Platform, id: string, more: object) =>
    customer.client.post('/propagate', {
      format: 'platform',
      platform,
      platform_id: id,
      entity_type: type,
      data: type === 'payment' ? { notes: 'Only a note' } : { displayName: 'Renamed' },
      ...more,
    });

  const setRule = (customer: Portfolio, level: string) =>
    customer.sql(
      `insert into customer_terms (customer_id, kind, name, value, since)
       values ($1, 'rule', 'create_missing', $2, clock_timestamp())`,
      [customer.customerId, JSON.stringify(level)],
    );

  const countOf = async (customer: Portfolio, platform: Platform, type: StoredType): Promise<number> =>
    (await customer.list(platform, type)).length;

  describe.each<[string, readonly Platform[]]>([
    ['sandboxes', []],
    ['live platforms', platforms],
  ])('on %s', (_name, far) => {
    let customer: FarCustomer;

    beforeEach(async () => {
      customer = await service.open(...far);
    });

    it.each([{}, { create_missing: false }, { dry_run: true }])(
      'makes no payment where the request says %j',
      async (more) => {
        const before = await countOf(customer, 'platform_b', 'payment');
        const { status, body } = await change(customer, 'payment', 'platform_a', PAYMENT, more);
        expect(status).toBe(200);
        const { platform_b: skipped, ...others } = body.data.propagated;
        expect(skipped).toEqual({ status: 'skipped', reason: NAMED });
        expect(['applied', 'pending']).toContain(others.platform_a.status);
        expect(others.platform_a).not.toHaveProperty('created');
        if (far.length > 0) await customer.decided();
        expect(await countOf(customer, 'platform_b', 'payment')).toBe(before);
        expect(customer.far.platform_b.effects).toEqual([]);
      },
    );

    it('makes the payment on request, and says so everywhere', async () => {
      const asks = { create_missing: true };
      const dry = await change(customer, 'payment', 'platform_a', PAYMENT, { ...asks, dry_run: true });
      expect(dry.body.data.propagated.platform_b).toMatchObject({
        status: far.length > 0 ? 'pending' : 'applied',
        created: true,
        changes: expect.any(Array),
      });
      const { body } = await change(customer, 'payment', 'platform_a', PAYMENT, asks);
      const { canonical, propagated, propagation_id: id } = body.data;
      expect(propagated.platform_b).toMatchObject({ status: 'applied', created: true });
      expect(propagated.platform_a).not.toHaveProperty('created');
      const { propagated: later } = await customer.propagation(id);
      expect(later.platform_b).toMatchObject({ status: 'applied', created: true });
      expect(later.platform_a).not.toHaveProperty('created');
      const { body: history } = await customer.client.get(`/objects/${canonical.id}/history`);
      const entry = history.data.find(({ outcomes }: { outcomes?: unknown }) => outcomes !== undefined);
      expect(entry.outcomes).toMatchObject({
        platform_a: { status: 'applied' },
        platform_b: { status: 'applied', created: true },
      });
      expect(entry.outcomes.platform_a).not.toHaveProperty('created');
    });

    it('creates the record for a request that repeats a skipped change', async () => {
      const skipped = await change(customer, 'payment', 'platform_a', PAYMENT, {});
      expect(skipped.body.data.propagated.platform_b.reason).toEqual(NAMED);
      const { body } = await change(customer, 'payment', 'platform_a', PAYMENT, { create_missing: true });
      expect(body.data.canonical.updated_fields).toEqual([]);
      expect(body.data.propagated).toMatchObject({
        platform_a: { status: 'unchanged' },
        platform_b: { status: 'applied', created: true },
      });
    });

    it('makes projects and customers unasked, unless the request says no', async () => {
      for (const [type, id] of [
        ['project', PROJECT],
        ['customer', CUSTOMER],
      ] as const) {
        const no = await change(customer, type, 'platform_b', id, { create_missing: false });
        expect(no.body.data.propagated.platform_a).toMatchObject({ status: 'skipped', reason: NAMED });
        const { body } = await change(customer, type, 'platform_b', id, {
          data: { displayName: `${type} 2` },
        });
        expect(body.data.propagated.platform_a).toMatchObject({ status: 'applied', created: true });
      }
    });

    it('makes all of them where the rule is always, and none where it is never', async () => {
      await setRule(customer, 'always');
      const made = await change(customer, 'payment', 'platform_a', PAYMENT, {});
      expect(made.body.data.propagated.platform_b).toMatchObject({ status: 'applied', created: true });
      const other = await service.open(...far);
      await setRule(other, 'never');
      for (const more of [{}, { create_missing: true }]) {
        const payment = await change(other, 'payment', 'platform_a', PAYMENT, more);
        expect(payment.body.data.propagated.platform_b).toEqual({ status: 'skipped', reason: NAMED });
        const project = await change(other, 'project', 'platform_b', PROJECT, more);
        expect(project.body.data.propagated.platform_a).toEqual({ status: 'skipped', reason: NAMED });
      }
    });
  });

  it('claims no record that a platform refused to make', async () => {
    const customer = await service.open('platform_b');
    customer.far.platform_b.reactions.push({ reject: 'The journal is closed' });
    const { body } = await change(customer, 'payment', 'platform_a', PAYMENT, { create_missing: true });
    const { canonical, propagated } = body.data;
    expect(propagated.platform_b).toMatchObject({ status: 'rejected', reason: 'The journal is closed' });
    expect(propagated.platform_b).not.toHaveProperty('created');
    const { body: history } = await customer.client.get(`/objects/${canonical.id}/history`);
    const entry = history.data.find(({ outcomes }: { outcomes?: unknown }) => outcomes !== undefined);
    expect(entry.outcomes.platform_b.status).toBe('rejected');
    expect(entry.outcomes.platform_b).not.toHaveProperty('created');
  });

  it.each(['yes', 1, null])('takes no %j for an answer', async (given) => {
    const customer = await service.open();
    const answer = await change(customer, 'payment', 'platform_a', PAYMENT, { create_missing: given });
    expectError(answer, 400, 'VALIDATION_ERROR', /create_missing must be true or false/);
  });

  it.each<[string, readonly Platform[]]>([
    ['sandboxes', []],
    ['live platforms', platforms],
  ])(
    'never makes money unasked on %s, whatever is changed in whatever form and order',
    async (_name, far) => {
      const listed = async (customer: Portfolio) => {
        const of = async (platform: Platform) =>
          Object.fromEntries(
            await Promise.all(
              storedTypes.map(async (type) => [type, await customer.list(platform, type)] as const),
            ),
          ) as Record<StoredType, Awaited<ReturnType<Portfolio['list']>>>; // Each type is in the list.
        return { platform_a: await of('platform_a'), platform_b: await of('platform_b') };
      };
      const known = await listed(await service.open());
      const unasked = fc.constantFrom({}, {}, { create_missing: false });
      await fc.assert(
        fc.asyncProperty(
          fc.array(fc.tuple(patches(knownIds(known)), unasked), { minLength: 1, maxLength: 8 }),
          async (sequence) => {
            const customer = await service.open(...far);
            for (const [{ type, format, which, data }, more] of sequence) {
              const candidates = known[format === 'canonical' ? 'platform_a' : format][type];
              // IDs of records are those of the portfolio. Those of objects are the customer's own.
              const id = candidates[which % candidates.length]?.id ?? '';
              const { status, body } = await customer.client.post('/propagate', {
                ...(format === 'canonical'
                  ? { format, canonical_id: (await customer.find('platform_a', type, id)).canonical_id }
                  : { format: 'platform', platform: format, platform_id: id }),
                entity_type: type,
                data,
                ...more,
              });
              expect([200, 400, 409, 422]).toContain(status);
              if (type === 'project' || type === 'customer') continue;
              for (const entry of Object.values<{ created?: true }>(body.data?.propagated ?? {}))
                expect(entry).not.toHaveProperty('created');
            }
            if (far.length > 0) await customer.decided();
            for (const platform of platforms)
              for (const type of ['contract', 'invoice', 'payment'] as const)
                expect(await countOf(customer, platform, type)).toBe(known[platform][type].length);
          },
        ),
        { numRuns: randomCases(3) },
      );
    },
  );
});
