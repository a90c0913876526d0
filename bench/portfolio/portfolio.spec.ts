import { mappingOf, storedEntityTypes, type PlatformName } from '@app/mapper';
import { countsFor, totalOf } from './counts';
import { linkedPayments } from './linked-payments';
import { madeRecords, type MadeRecord } from './records';

const counts = countsFor(2_000);
const platforms: readonly PlatformName[] = ['platform_a', 'platform_b'];

function all(platform: PlatformName): readonly MadeRecord[] {
  return storedEntityTypes.flatMap((type) => madeRecords(platform, type, { counts }, 0, counts[type]));
}

function keyOf({ payload }: MadeRecord): string {
  return JSON.stringify(payload['check_number'] ?? payload['externalDocumentNumber']);
}

describe('the simulated platforms', () => {
  it.each([100, 1_000, 100_000])('have %d records when they are asked for so many', (records) =>
    expect(totalOf(countsFor(records))).toBe(records),
  );

  it.each(platforms)(
    '%s has records that the mapper reads without a complaint, each with an ID of its own',
    (platform) => {
      const ids = all(platform).map(({ entityType, variant, payload }) => {
        const context = { inheritedCurrency: 'USD', localCurrency: 'USD' };
        const { nativeId, issues } = mappingOf(platform, entityType, { variant }).decode(payload, context);
        expect(issues).toEqual([]);
        return `${entityType} ${nativeId}`;
      });
      expect(new Set(ids).size).toBe(2_000);
    },
  );

  it('share half of their keys, and 5 % of the records have a key that others have too', () => {
    const [left = [], right = []] = platforms.map((platform) =>
      madeRecords(platform, 'payment', { counts }, 0, counts.payment).map(keyOf),
    );
    const shared = left.filter((key) => key.includes('SHARED'));
    expect(shared.length / left.length).toBeCloseTo(0.05, 2);
    const others = new Set(right);
    const own = left.filter((key) => !key.includes('SHARED'));
    expect(own.filter((key) => others.has(key)).length / own.length).toBeCloseTo(0.5, 1);
  });

  it('give half of all documents to one customer', () => {
    const invoices = madeRecords('platform_a', 'invoice', { counts }, 0, counts.invoice);
    const largest = invoices.filter(({ payload }) => payload['vendor_id'] === 1).length;
    expect(largest / invoices.length).toBeGreaterThanOrEqual(0.5);
  });

  it('have long and very long records among those of a kilobyte', () => {
    const sizes = madeRecords('platform_b', 'payment', { counts }, 4_900, 5_000).map(
      ({ payload }) => JSON.stringify(payload).length,
    );
    expect(Math.max(...sizes)).toBeGreaterThan(180_000);
    expect(sizes.filter((size) => size < 2_000)).toHaveLength(99);
  });

  it('have nothing beside the mapped fields when they are slim', () => {
    const [slim] = madeRecords('platform_a', 'payment', { counts, slim: true }, 99, 100);
    expect(JSON.stringify(slim).length).toBeLessThan(500);
  });

  it('know which payments are on both platforms under keys of their own', () => {
    const keys = (platform: PlatformName) =>
      madeRecords(platform, 'payment', { counts }, 0, counts.payment).map(keyOf);
    const [left = [], right = []] = platforms.map(keys);
    for (const id of linkedPayments(2_000)) {
      const key = left[id - 1] ?? '';
      expect(left.filter((other) => other === key)).toHaveLength(1);
      expect(right).toContain(key);
    }
  });
});
