import { mappingOf, parseJsonText, type JsonObject } from '@app/mapper';
import { asWritten, MOST_CHANGES, patchedPaths, refuseFixedFields, withShownNames } from './native-patch';
import { ChangeRefused } from '../refusal';

const contract = mappingOf('platform_a', 'contract', { variant: 'WorkOrderContract' });
const { writeNames } = contract.resource;

describe('patchedPaths', () => {
  it('names members of nested objects one by one, and everything else whole', () => {
    expect(patchedPaths({ a: 1, b: { c: null, d: { e: [{ f: 1 }] } }, g: {} })).toEqual([
      ['a'],
      ['b', 'c'],
      ['b', 'd', 'e'],
      ['g'],
    ]);
  });

  it('takes 10,000 values and refuses more, wherever they stand', () => {
    const members = (count: number): JsonObject =>
      Object.fromEntries(Array.from({ length: count }, (_, at) => [`m${at}`, at]));
    expect(patchedPaths({ a: members(5_000), b: members(5_000) })).toHaveLength(MOST_CHANGES);
    expect(() => patchedPaths({ a: members(5_000), b: members(5_001) })).toThrow(ChangeRefused);
    expect(() => patchedPaths(members(MOST_CHANGES + 1))).toThrow(
      'Invalid input: data: one change can set 10000 values, and this one sets more',
    );
  });

  it('treats a dot in a name as part of the name', () => {
    expect(patchedPaths({ 'a.b': { 'c.d': 1 } })).toEqual([['a.b', 'c.d']]);
  });
});

describe('withShownNames', () => {
  it('puts a value under its write-only name where the record shows it', () => {
    expect(withShownNames({ vendor_id: 5, title: 'x' }, writeNames)).toEqual({
      vendor: { id: 5 },
      title: 'x',
    });
  });

  it('joins both names of a value', () => {
    expect(withShownNames({ vendor: { company: 'x' }, vendor_id: 5 }, writeNames)).toEqual({
      vendor: { company: 'x', id: 5 },
    });
  });

  it('lets the name for writing count where a patch uses both', () => {
    expect(withShownNames({ vendor_id: 5, vendor: { id: 6, company: 'x' } }, writeNames)).toEqual({
      vendor: { id: 5, company: 'x' },
    });
  });

  it('leaves a patch without such names as it is', () => {
    const patch = { title: 'x' };
    expect(withShownNames(patch, writeNames)).toBe(patch);
    expect(withShownNames(patch)).toBe(patch);
  });

  it('keeps a member named __proto__ a member', () => {
    const patch = parseJsonText('{"__proto__":{"x":1}}') as JsonObject;
    expect(Object.keys(withShownNames(patch, writeNames))).toEqual(['__proto__']);
  });
});

describe('asWritten', () => {
  it('names a path as the caller did', () => {
    expect(asWritten(['vendor', 'id'], { vendor_id: 5 }, writeNames)).toBe('vendor_id');
    expect(asWritten(['vendor', 'id'], { vendor: { id: 5 } }, writeNames)).toBe('vendor.id');
    expect(asWritten(['title'], { title: 'x' })).toBe('title');
  });
});

describe('refuseFixedFields', () => {
  const refusalOf = (patch: JsonObject, mapping = contract): string | undefined => {
    try {
      refuseFixedFields('platform_a', mapping, patch);
      return undefined;
    } catch (error) {
      if (error instanceof ChangeRefused) return `${error.kind} ${error.message}`;
      throw error;
    }
  };

  it.each([
    [{ id: 1 }, 'data.id'],
    [{ project: { id: 1 } }, 'data.project.id'],
    [{ project_id: 1 }, 'data.project_id'],
    [{ vendor: { company: 'x' } }, 'data.vendor.company'],
    [{ currency_configuration: null }, 'data.currency_configuration'],
    [{ title: 'x', line_items: [] }, 'data.line_items'],
    [{ '@odata.anything': 1 }, 'data.@odata.anything'],
  ])('refuses %j', (patch, path) => {
    expect(refusalOf(patch)).toBe(`not_writable Invalid input: ${path}: platform_a lets nobody write it`);
  });

  it.each<JsonObject>([
    {},
    { title: 'x' },
    { vendor_id: 5 },
    { vendor: { id: 5 } },
    { grand_total: '1.00' },
    { heard_of: {} },
  ])('takes %j', (patch) => {
    expect(refusalOf(patch)).toBeUndefined();
  });

  it('takes the one member of a summary that may be written, and no other', () => {
    const invoice = mappingOf('platform_a', 'invoice');
    expect(refusalOf({ summary: { current_payment_due: '1.00' } }, invoice)).toBeUndefined();
    expect(refusalOf({ summary: { current_payment_due: '1.00', total_retainage: '1' } }, invoice)).toContain(
      'data.summary.total_retainage',
    );
    expect(refusalOf({ summary: {} }, invoice)).toContain('data.summary');
  });
});
