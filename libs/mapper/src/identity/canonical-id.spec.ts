import { entityTypes, idPrefixes, storedEntityTypes } from '../canonical/entity-type';
import { fc } from '../testing/property';
import { keyRules } from './business-key';
import { canonicalId, isCanonicalIdOf, type IdBasis } from './canonical-id';

const customer = '0b8f6f0e-52a3-4f0c-9d3e-0a4f9b3a7c11';

const text = fc.oneof(fc.string({ maxLength: 8 }), fc.constantFrom('\u001f', 'a\u001fb', 'key', 'native'));
const parent = fc.constantFrom(
  'proj_0123456789abcdef0123456789abcdef',
  'cor_fedcba9876543210fedcba9876543210',
);
const bases: fc.Arbitrary<IdBasis> = fc.oneof(
  text.map((key): IdBasis => ({ kind: 'key', key })),
  fc.tuple(parent, text).map(([parentId, key]): IdBasis => ({ kind: 'key in parent', parentId, key })),
  fc
    .tuple(fc.constantFrom('platform_a', 'platform_b'), text)
    .map(([platform, nativeId]): IdBasis => ({ kind: 'native', platform, nativeId })),
  text.map((payload): IdBasis => ({ kind: 'payload', payload })),
);

describe('a canonical ID', () => {
  it.each([
    ['project', 'proj'],
    ['customer', 'cust'],
    ['contract', 'cor'],
    ['invoice', 'inv'],
    ['payment', 'pay'],
    ['employee', 'emp'],
    ['time_entry', 'time'],
    ['change_order', 'chg'],
    ['budget_line_item', 'bud'],
  ] as const)('of a %s begins with %s_', (entityType, prefix) => {
    const id = canonicalId(customer, entityType, { kind: 'key', key: 'x' });
    expect(id).toMatch(new RegExp(`^${prefix}_[0-9a-f]{32}$`));
    expect(idPrefixes[entityType]).toBe(prefix);
    expect(isCanonicalIdOf(entityType, id)).toBe(true);
    for (const other of entityTypes) expect(isCanonicalIdOf(other, id)).toBe(other === entityType);
  });

  // Stored IDs never change, so neither may these.
  it.each([
    ['project', { kind: 'key', key: 'lex-001' }, 'proj_a2b21645ffe128cdb51c719643383e45'],
    ['payment', { kind: 'key', key: 'chk-2026-0101' }, 'pay_e1bd66a965cc9817f1bc9c5a6a0c3bfb'],
    [
      'contract',
      { kind: 'key in parent', parentId: 'proj_0123456789abcdef0123456789abcdef', key: 'sc-001' },
      'cor_871369f6dca575a17e3d0c9df589d924',
    ],
    [
      'customer',
      { kind: 'native', platform: 'platform_a', nativeId: '501004' },
      'cust_410c14d0ecc49e8600a472f2e791cc43',
    ],
    [
      'time_entry',
      { kind: 'payload', payload: 'platform_a {"hours":"8.0"}' },
      'time_59693077e2b1592e1df6a68198a8d808',
    ],
  ] as const)('of a %s by %j is and stays %s', (entityType, basis, id) => {
    expect(canonicalId(customer, entityType, basis)).toBe(id);
  });

  it('is the same for the same thing, and another for another', () => {
    const places = fc.tuple(fc.constantFrom(customer, 'another'), fc.constantFrom(...entityTypes), bases);
    fc.assert(
      fc.property(places, places, (left, right) => {
        const same = JSON.stringify(left) === JSON.stringify(right);
        expect(canonicalId(...left) === canonicalId(...right)).toBe(same);
      }),
      { numRuns: 500 },
    );
  });

  it.each([
    ['pay_0123456789abcdef', true],
    ['pay_0123456789abcdefABCXYZ', true],
    ['pay_0123456789abcde', false],
    [`pay_${'a'.repeat(65)}`, false],
    ['pay_0123456789abcdef-', false],
    ['pay0123456789abcdef', false],
    ['PAY_0123456789abcdef', false],
    ['proj_0123456789abcdef', false],
    ['', false],
    ['pay_0123456789abcdef\n', false],
  ])('%j has the form of a payment’s: %s', (id, expected) => {
    expect(isCanonicalIdOf('payment', id)).toBe(expected);
  });
});

describe('the entity types', () => {
  it('are nine, of which five are stored, parents before what refers to them', () => {
    expect(entityTypes).toHaveLength(9);
    expect(storedEntityTypes).toEqual(['project', 'customer', 'contract', 'invoice', 'payment']);
    const places = storedEntityTypes.map((type) => keyRules[type].parent?.replace(/_id$/, ''));
    for (const [index, parentType] of places.entries()) {
      if (parentType === undefined) continue;
      expect(storedEntityTypes.findIndex((type) => type === parentType)).toBeLessThan(index);
    }
  });
});
