import {
  businessKeyOf,
  isJsonArray,
  isJsonObject,
  mappingOf,
  stringifyJson,
  valueAt,
  type JsonObject,
  type JsonValue,
} from '@app/mapper';
import type { PortfolioRecord } from '@app/behaviour';
import { generatedPortfolio } from '.';

const portfolio = generatedPortfolio({ contracts: 300, seed: 7 });
const of = (platform: keyof typeof portfolio, entityType: string): readonly PortfolioRecord[] =>
  portfolio[platform].filter((record) => record.entityType === entityType);
const text = (payload: JsonObject, path: string): string => stringifyJson(valueAt(payload, path.split('.')));
const idsOf = (platform: keyof typeof portfolio, entityType: string): Set<string> =>
  new Set(of(platform, entityType).map(({ payload }) => text(payload, 'id')));
const units = (value: JsonValue | undefined): number => Number(typeof value === 'string' ? value : NaN);

function keysOf(platform: keyof typeof portfolio, entityType: PortfolioRecord['entityType']): string[] {
  return of(platform, entityType).map(({ payload, variant }) => {
    const context = { inheritedCurrency: 'USD', localCurrency: 'QAR' };
    const { data } = mappingOf(platform, entityType, { variant }).decode(payload, context);
    return businessKeyOf(entityType, data)?.normal ?? '';
  });
}

describe('a generated portfolio', () => {
  it('is the same for the same seed, and another for another', () => {
    const again = generatedPortfolio({ contracts: 300, seed: 7 });
    expect(stringifyJson(again)).toBe(stringifyJson(portfolio));
    expect(stringifyJson(generatedPortfolio({ contracts: 300, seed: 8 }))).not.toBe(stringifyJson(portfolio));
  });

  it.each(['project', 'customer', 'contract', 'invoice', 'payment'] as const)(
    'has each %s mostly on both platforms, and its keys mostly once',
    (entityType) => {
      const [onA, onB] = [keysOf('platform_a', entityType), keysOf('platform_b', entityType)];
      const shared = onA.filter((key) => onB.includes(key));
      expect(shared.length).toBeGreaterThan(onA.length * 0.75);
      if (of('platform_a', entityType).length > 100) expect(shared.length).toBeLessThan(onA.length);
      expect(new Set(onA).size).toBeGreaterThan(onA.length * 0.9);
    },
  );

  it('has as many projects as it is to have, each with as many contracts', () => {
    const wide = generatedPortfolio({ contracts: 60, projects: 30, seed: 7 });
    const counts = new Map<string, number>();
    for (const { entityType, payload } of wide.platform_a) {
      if (entityType !== 'contract') continue;
      const project = text(payload, 'project.id');
      counts.set(project, (counts.get(project) ?? 0) + 1);
    }
    expect(counts.size).toBeGreaterThan(25);
    expect(Math.max(...counts.values())).toBe(2);
  });

  it('repeats some keys, and spells some in another case', () => {
    const keys = keysOf('platform_a', 'contract');
    expect(new Set(keys).size).toBeLessThan(keys.length);
    const spelled = of('platform_a', 'contract').map(({ payload }) => text(payload, 'number'));
    expect(spelled.some((number) => number !== number.toUpperCase())).toBe(true);
  });

  it.each([
    ['platform_a', 'contract', 'project.id', 'project'],
    ['platform_a', 'invoice', 'project_id', 'project'],
    ['platform_a', 'invoice', 'commitment_id', 'contract'],
    ['platform_a', 'invoice', 'vendor_id', 'customer'],
    ['platform_a', 'payment', 'contract_id', 'contract'],
    ['platform_a', 'payment', 'requisition_id', 'invoice'],
    ['platform_b', 'contract', 'customerId', 'customer'],
    ['platform_b', 'invoice', 'customerId', 'customer'],
    ['platform_b', 'invoice', 'orderId', 'contract'],
    ['platform_b', 'payment', 'customerId', 'customer'],
    ['platform_b', 'payment', 'appliesToInvoiceId', 'invoice'],
  ] as const)('leads from each record to one that is there (%s, %s, %s)', (platform, from, path, to) => {
    const known = idsOf(platform, to);
    const lost = of(platform, from).filter(({ payload }) => !known.has(text(payload, path)));
    expect(lost).toEqual([]);
  });

  it('has IDs that occur once, beyond doubles if asked', () => {
    for (const platform of ['platform_a', 'platform_b'] as const) {
      const ids = portfolio[platform].map(({ payload }) => text(payload, 'id'));
      expect(new Set(ids).size).toBe(ids.length);
    }
    const big = generatedPortfolio({ contracts: 3, seed: 1, bigIds: true }).platform_a;
    expect(big.every(({ payload }) => BigInt(text(payload, 'id')) > 2n ** 53n)).toBe(true);
  });

  it('has totals that follow from lines and items', () => {
    for (const { payload } of of('platform_a', 'contract')) {
      const lines = payload['line_items'];
      const sum = isJsonArray(lines)
        ? lines.reduce<number>((total, line) => total + (isJsonObject(line) ? units(line['amount']) : NaN), 0)
        : NaN;
      expect(units(payload['grand_total'])).toBe(sum);
    }
    const requisitions = new Map(
      of('platform_a', 'invoice').map(({ payload }) => [
        text(payload, 'invoice_number').toUpperCase(),
        payload,
      ]),
    );
    for (const { payload } of of('platform_b', 'invoice')) {
      const requisition = requisitions.get(text(payload, 'externalDocumentNumber'));
      if (requisition === undefined) continue;
      const due = units(valueAt(requisition, ['summary', 'current_payment_due']));
      expect(Math.round(due * 364)).toBe(Math.round(Number(payload['totalAmountIncludingTax']) * 100));
    }
  });
});
