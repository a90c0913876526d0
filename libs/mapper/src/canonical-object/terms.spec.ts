import { storedEntityTypes } from '../canonical/entity-type';
import { platformNames, type PlatformName } from '../platforms';
import { fieldsWithPrecedence, inOrderOf, levelOf, precedenceOf, problemOfPrecedence } from './terms';

const both = ['platform_b', 'platform_a'];

describe('a precedence', () => {
  it('can be agreed for every field that both platforms may say, and for no other', () => {
    for (const entityType of storedEntityTypes) {
      for (const field of fieldsWithPrecedence(entityType)) {
        expect(problemOfPrecedence(entityType, field, both)).toBeUndefined();
      }
    }
    expect(fieldsWithPrecedence('payment')).not.toContain('invoice_id');
    expect(fieldsWithPrecedence('invoice')).not.toContain('lines');
  });

  it.each([
    ['budget_line_item', 'amount', both, 'entity type budget_line_item: expected one of'],
    ['payment', 'amounts', both, 'field amounts: no field of payment'],
    ['payment', 'constructor', both, 'field constructor: no field of payment'],
    ['payment', 'invoice_id', both, 'field invoice_id: a reference has no precedence'],
    ['contract', 'currency', both, 'field currency: each platform keeps its own'],
    ['contract', 'amount', ['platform_x'], 'platform platform_x: expected some of platform_a, platform_b'],
    ['contract', 'amount', ['platform_a', 'platform_a'], 'platforms: each at most once'],
    ['contract', 'amount', [], 'platforms: expected at least one'],
  ])('of %s.%s and %j is refused', (entityType, field, platforms, problem) => {
    expect(problemOfPrecedence(entityType, field, platforms)).toMatch(problem);
  });

  it('puts the platforms that are named first, and the others behind them in their order', () => {
    const items = (['x', 'y', 'z'] as string[]).map((platform) => ({ platform: platform as PlatformName }));
    const order = (...first: string[]) =>
      inOrderOf(items, { payment: { amount: first as PlatformName[] } }, 'payment', 'amount').map(
        ({ platform }) => platform,
      );
    expect(order('z')).toEqual(['z', 'x', 'y']);
    expect(order('z', 'y')).toEqual(['z', 'y', 'x']);
    expect(inOrderOf(items, {}, 'payment', 'amount')).toBe(items);
  });

  it('of an amount is that of its currency and lines', () => {
    const precedence = { contract: { amount: platformNames.toReversed() } };
    expect(precedenceOf(precedence, 'contract', 'currency')).toEqual(precedence.contract.amount);
    expect(precedenceOf(precedence, 'contract', 'lines')).toEqual(precedence.contract.amount);
    expect(precedenceOf(precedence, 'contract', 'title')).toBeUndefined();
    expect(precedenceOf(precedence, 'invoice', 'currency')).toBeUndefined();
  });
});

describe('a rule', () => {
  it('refuses unless something else was agreed', () => {
    expect(levelOf('paid_above_billed', {})).toBe('refuse');
    expect(levelOf('paid_above_billed', { paid_above_billed: 'warn' })).toBe('warn');
  });
});
