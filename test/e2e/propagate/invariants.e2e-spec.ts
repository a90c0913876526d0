import { fc, randomCases } from '../../../libs/mapper/src/testing/property';
import type { ApiResponse } from '../../support/app/api';
import { startApp, type RunningApp } from '../../support/app/app';
import { expectToFoot } from '../../support/customers/footing';
import { knownIds, patches, type SomePatch } from '../../support/records/patch.arbitrary';
import {
  platforms,
  portfolios,
  storedTypes,
  type Listed,
  type Platform,
  type Portfolio,
  type StoredType,
  type Portfolios,
} from '../../support/customers/portfolio';

jest.setTimeout(300_000);

type Listings = Record<Platform, Record<StoredType, Listed[]>>;

const pegs: Record<string, number> = { USD: 1, QAR: 3.64, AED: 3.6725, SAR: 3.75 };

describe('any sequence of changes', () => {
  let app: RunningApp;
  let all: Portfolios;
  let first: Listings;

  beforeAll(async () => {
    app = await startApp();
    all = await portfolios(app);
    first = await everything(await all.open());
  });
  afterAll(async () => {
    await all.close();
    await app.close();
  });

  it('keeps the platforms together, adds up, and reports what it did', async () => {
    const sequences = fc.array(patches(knownIds(first)), { minLength: 1, maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(sequences, async (sequence) => {
        const portfolio = await all.open();
        // Most amounts that are made up would be above what is billed.
        await portfolio.setRules('off');
        for (const patch of sequence) await expectSound(portfolio, patch);
        expectSameLinks(await everything(portfolio));
      }),
      { numRuns: randomCases(3) },
    );
  });

  async function expectSound(portfolio: Portfolio, patch: SomePatch): Promise<void> {
    const target = targetOf(patch);
    const stored = await portfolio.stored();
    const before = await shownOn(portfolio, patch.type, target.canonical_id);
    const answer = await send(portfolio, patch, target);
    if (answer.status !== 200) {
      expect([400, 409, 422]).toContain(answer.status);
      expect(answer.body.error.message).toMatch(/data\./);
      expect(await portfolio.stored()).toEqual(stored);
      return;
    }
    const after = await shownOn(portfolio, patch.type, target.canonical_id);
    expectTold(answer, before, after);
    expectTogether(patch.type, after);

    // What was empty before, and is named as empty, a platform may fill in by itself: the customer of a payment from its number.
    const { data } = answer.body.data.canonical;
    if (Object.entries(patch.data).some(([field, value]) => value === null && (data[field] ?? null) !== null))
      return;
    // The same again changes nothing more.
    const settled = await portfolio.stored();
    const again = await send(portfolio, patch, target);
    expect(again.status).toBe(200);
    expect(again.body.data.canonical.updated_fields).toEqual([]);
    expect(await portfolio.stored()).toEqual(settled);
  }

  function targetOf({ type, format, which }: SomePatch): Listed {
    const candidates =
      format === 'canonical' ? [...first.platform_a[type], ...first.platform_b[type]] : first[format][type];
    const target = candidates[which % candidates.length];
    if (target === undefined) throw new Error(`There is no ${type} to change.`);
    return target;
  }

  function send(
    portfolio: Portfolio,
    { type, format, data }: SomePatch,
    target: Listed,
  ): Promise<ApiResponse> {
    return format === 'canonical'
      ? portfolio.canonical(type, target.canonical_id, data)
      : portfolio.native(format, type, target.id, data);
  }

  /** Expects an answer to show what listings show, and to name exactly what changed. */
  function expectTold(
    { body }: ApiResponse,
    before: Partial<Record<Platform, Listed>>,
    after: typeof before,
  ): void {
    const { canonical, propagated } = body.data;
    for (const platform of platforms) {
      const listed = after[platform];
      if (listed === undefined) {
        expect(propagated[platform]).toMatchObject({ status: 'skipped', reason: expect.any(String) });
        continue;
      }
      expect(listed.data).toEqual(canonical.data);
      expect(propagated[platform]).toMatchObject({ platform_id: listed.id, data: listed.platform_data });
      const changed =
        JSON.stringify(listed.platform_data) !== JSON.stringify(before[platform]?.platform_data);
      expect(propagated[platform].status).toBe(changed ? 'applied' : 'unchanged');
    }
    const old = before.platform_a ?? before.platform_b;
    for (const field of canonical.updated_fields) {
      expect(canonical.data[field] ?? null).not.toEqual(old?.data[field] ?? null);
    }
  }

  /** Expects what both platforms have of an object to be the same at the rate, and every figure to foot. */
  function expectTogether(
    type: StoredType,
    { platform_a: onA, platform_b: onB }: Partial<Record<Platform, Listed>>,
  ) {
    for (const [platform, listed] of Object.entries({ platform_a: onA, platform_b: onB })) {
      if (listed) expectToFoot(platform as Platform, type, listed.platform_data);
    }
    if (onA === undefined || onB === undefined) return;
    expect(onA.data).toEqual(onB.data);
    expect(onA.mappings).toEqual(onB.mappings);
    const amounts = amountsOf(type, onA.platform_data, onB.platform_data);
    if (amounts === undefined) return;
    const rate = pegs[amounts.currency || 'QAR'] ?? NaN; // Blank means the company's own.
    // One of the two was written, the other is its conversion, rounded to the coin.
    expect(Math.abs(amounts.a * rate - amounts.b)).toBeLessThanOrEqual(0.005 * rate + 0.005);
    expect(onA.data.amount).toEqual({ amount: Math.round(amounts.a * 100), currency: 'USD' });
  }

  function expectSameLinks(now: Listings): void {
    for (const platform of platforms) {
      for (const type of storedTypes) {
        for (const { id, canonical_id, mappings } of first[platform][type]) {
          const listed = now[platform][type].filter((candidate) => candidate.id === id);
          expect(listed.map((one) => one.canonical_id)).toEqual([canonical_id]);
          for (const mapping of mappings) expect(listed[0]?.mappings).toContainEqual(mapping);
        }
      }
    }
  }
});

async function everything(portfolio: Portfolio): Promise<Listings> {
  const on = async (platform: Platform): Promise<Record<StoredType, Listed[]>> => ({
    project: await portfolio.list(platform, 'project'),
    customer: await portfolio.list(platform, 'customer'),
    contract: await portfolio.list(platform, 'contract'),
    invoice: await portfolio.list(platform, 'invoice'),
    payment: await portfolio.list(platform, 'payment'),
  });
  return { platform_a: await on('platform_a'), platform_b: await on('platform_b') };
}

async function shownOn(
  portfolio: Portfolio,
  type: StoredType,
  id: string,
): Promise<Partial<Record<Platform, Listed>>> {
  const shown: Partial<Record<Platform, Listed>> = {};
  for (const platform of platforms) {
    const [listed] = (await portfolio.list(platform, type)).filter(({ canonical_id }) => canonical_id === id);
    if (listed) shown[platform] = listed;
  }
  return shown;
}

/** The amount on either platform, and the currency of the second. */
function amountsOf(type: StoredType, onA: Listed['platform_data'], onB: Listed['platform_data']) {
  const currency: string = onB.currencyCode;
  switch (type) {
    case 'payment':
      return { a: Number(onA.amount), b: -onB.amount, currency };
    case 'contract':
      return { a: Number(onA.grand_total), b: onB.totalAmountExcludingTax, currency };
    case 'invoice':
      return { a: Number(onA.summary.current_payment_due), b: onB.totalAmountIncludingTax, currency };
    default:
      return undefined;
  }
}
