import { fieldsWithPrecedence, mappingOf, storedEntityTypes, type PlatformName } from '@app/mapper';
import { settlementOf, type SettledCase } from './settlement';

const [a, b] = ['platform_a', 'platform_b'] as const;
const sandboxes = { live: new Set<PlatformName>(), createMissing: undefined };
const live = { live: new Set<PlatformName>([a, b]), createMissing: undefined };

const caseOf = (given: Partial<SettledCase>): SettledCase => ({
  kind: 'disagreement',
  entityType: 'payment',
  left: a,
  right: b,
  platform: null,
  field: null,
  missingOn: undefined,
  isClosed: false,
  problem: undefined,
  parents: {},
  facts: { places: {}, lines: {}, lacks: [], dates: undefined },
  ...given,
});

describe('what settles a case', () => {
  it.each(storedEntityTypes)(
    'of a field of a %s is what the resources say of who may write it',
    (entityType) => {
      for (const field of fieldsWithPrecedence(entityType)) {
        const { by, writable, ...more } = settlementOf(caseOf({ entityType, field }), sandboxes);
        expect(more).toEqual({ field });
        for (const platform of [a, b]) {
          const access = mappingOf(platform, entityType).accessTo(field);
          const may = access === 'write' || access === 'lines';
          expect([platform, field, writable[platform] === true]).toEqual([platform, field, may]);
          if (!may) expect(writable[platform]).toContain(field);
        }
        expect(by).toBe([writable[a], writable[b]].includes(true) ? 'propagate' : 'platform');
      }
    },
  );

  it('says why, in the words of the resource', () => {
    expect(settlementOf(caseOf({ field: 'status' }), live)).toEqual({
      by: 'platform',
      field: 'status',
      writable: {
        platform_a: 'status is set by the platform when it executes the payment',
        platform_b: 'platform_b does not let status be written',
      },
    });
  });

  it('tells a live platform from a sandbox', () => {
    const dates = caseOf({ entityType: 'project', field: 'actual_start_date' });
    expect(settlementOf(dates, sandboxes).writable[a]).toBe(true);
    expect(settlementOf(dates, live).writable[a]).toMatch(/is taken for a new project only/);
  });

  it('leaves an amount of several lines to its platform', () => {
    const facts = { places: {}, lines: { platform_b: 3 }, lacks: [], dates: undefined };
    const of = settlementOf(caseOf({ entityType: 'invoice', field: 'amount', facts }), live);
    expect(of.writable).toEqual({
      platform_a: true,
      platform_b: 'amount is the sum of 3 lines on platform_b; change those there',
    });
  });

  const alone = { kind: 'only_on', entityType: 'contract', platform: a, missingOn: b } as const;

  it('is the record that is missing, if it can be created', () => {
    expect(settlementOf(caseOf(alone), live)).toEqual({ by: 'propagate', writable: { platform_b: true } });
    const never = settlementOf(caseOf(alone), { ...live, createMissing: 'never' });
    expect(never.by).toBe('platform');
    expect(never.writable[b]).toBe('the customer’s rule create_missing is never');
    const facts = { places: {}, lines: {}, lacks: ['amount'], dates: undefined };
    const parents = { customer_id: { platforms: [a] }, project_id: { platforms: [a] } };
    expect(settlementOf(caseOf({ ...alone, facts, parents }), live)).toEqual({
      by: 'platform',
      writable: { platform_b: 'to be created on platform_b the contract needs amount, customer_id' },
    });
  });

  it('is a change where the other platform has what the record refers to, or where that is not known', () => {
    const created = { by: 'propagate', writable: { platform_b: true } };
    for (const parents of [{ customer_id: { platforms: [a, b] } }, { customer_id: undefined }]) {
      expect(settlementOf(caseOf({ ...alone, parents }), live)).toEqual(created);
    }
  });

  it('is on the platform where nothing says what would be written', () => {
    const onPlatform = { by: 'platform', writable: {} };
    expect(settlementOf(caseOf({ ...alone, missingOn: undefined }), live)).toEqual(onPlatform);
    expect(settlementOf(caseOf({ field: null }), live)).toEqual(onPlatform);
  });

  it('concerns both platforms, unless one record alone cannot be read', () => {
    const of = (given: Partial<SettledCase>) => Object.keys(settlementOf(caseOf(given), live).writable);
    expect(of({ kind: 'unreadable', field: 'date' })).toEqual([a, b]);
    expect(of({ kind: 'unreadable', field: 'date', platform: a })).toEqual([a]);
    const moved = settlementOf(caseOf({ kind: 'other_project', field: 'project_id' }), live);
    expect(moved.writable[b]).toBe('platform_b has no field for project_id');
  });

  it('is a decision, a date, a value at a native path, or nothing', () => {
    expect(settlementOf(caseOf({ ...alone, kind: 'ambiguous' }), live)).toEqual({
      by: 'decision',
      writable: {},
    });
    const facts = { places: {}, lines: {}, lacks: [], dates: 'invoice_date' };
    expect(settlementOf(caseOf({ ...alone, entityType: 'invoice', facts }), live)).toEqual({
      by: 'propagate',
      field: 'invoice_date',
      writable: { platform_a: true, platform_b: true },
    });
    expect(settlementOf(caseOf({ kind: 'unreadable', platform: b, field: 'postingDate' }), live)).toEqual({
      by: 'propagate',
      field: 'postingDate',
      writable: { platform_b: true },
    });
    const unequal = caseOf({ kind: 'not_comparable', field: 'amount' });
    expect(settlementOf(unequal, live)).toEqual({ by: 'none', writable: {} });
    expect(settlementOf({ ...unequal, problem: 'unknown currency' }, live).by).toBe('platform');
    expect(settlementOf(caseOf({ field: 'notes', isClosed: true }), live)).toEqual({
      by: 'none',
      writable: {},
    });
  });
});
