import { createHash } from 'node:crypto';
import { entityTypes } from '../canonical/entity-type';
import { fc } from '../testing/property';
import { businessKeyOf, keyFieldsOf, keyRules, normaliseKey } from './business-key';

describe('the form in which keys are compared', () => {
  const texts = fc.oneof(
    fc.string({ unit: 'grapheme', maxLength: 30 }),
    fc.string({ unit: 'binary', maxLength: 30 }),
    fc.constantFrom(
      'ΟΔΟΣ',
      'Straße',
      'ŉ',
      'ǅ',
      'İstanbul',
      'ﬁx',
      'ΐ',
      ' ¨ ',
      '\u0345',
      'ᾳ',
      'ﬅ',
      'ϓ',
      'ẞ',
      '①²ﬃ',
    ),
  );

  it('is its own form', () => {
    fc.assert(
      fc.property(texts, (text) => {
        const normal = normaliseKey(text);
        if (normal !== undefined) expect(normaliseKey(normal)).toBe(normal);
      }),
      { numRuns: 500 },
    );
  });

  it('is the same for every composition, case and spacing of a text', () => {
    fc.assert(
      fc.property(texts, fc.constantFrom('', ' ', '\t\n', '\u00a0', '\ufeff', '\u3000'), (text, space) => {
        const normal = normaliseKey(text);
        expect(normaliseKey(text.normalize('NFC'))).toBe(normal);
        expect(normaliseKey(text.normalize('NFD'))).toBe(normal);
        expect(normaliseKey(text.normalize('NFKC'))).toBe(normal);
        expect(normaliseKey(`${space}${text}${space}`)).toBe(normal);
      }),
      { numRuns: 300 },
    );
  });

  it('does not depend on case', () => {
    // The combining iota alone changes its place in a text when it becomes upper case.
    fc.assert(
      fc.property(
        texts.filter((text) => !text.normalize('NFD').includes('\u0345')),
        (text) => {
          expect(normaliseKey(text.toUpperCase())).toBe(normaliseKey(text));
          expect(normaliseKey(text.toLowerCase())).toBe(normaliseKey(text));
        },
      ),
      { numRuns: 300 },
    );
  });

  it.each([
    ['INV-2025-0061', 'inv-2025-0061'],
    ['  PO-DCH  014 ', 'po-dch 014'],
    ['PO-DCH\t\n014', 'po-dch 014'],
    ['ＣＨＫ－１', 'chk-1'],
    ['№ 5', 'no 5'],
    ['STRASSE', 'strasse'],
    ['Straße', 'strasse'],
    ['STRAẞE', 'strasse'],
    ['ΟΔΟΣ', 'οδοσ'],
    ['οδος', 'οδοσ'],
    ['Ångström', 'ångström'],
    ['\u212bngström', 'ångström'],
  ])('of "%s" is "%s"', (text, normal) => {
    expect(normaliseKey(text)).toBe(normal);
  });

  it.each([
    ['INV-0061', 'INV-61'],
    ['INV-61', 'INV61'],
    ['INV-61', 'INV_61'],
    ['061', '61'],
    ['SC 001', 'SC001'],
    ['A', 'Á'],
  ])('tells "%s" from "%s"', (left, right) => {
    expect(normaliseKey(left)).not.toBe(normaliseKey(right));
  });

  it.each(['', ' ', '\t\n\u00a0\ufeff', 'a\0b', '\ud83d'])('is none for %j', (text) => {
    expect(normaliseKey(text)).toBeUndefined();
  });

  it('is a digest for a key too long for an index', () => {
    const long = 'K'.repeat(201);
    const digest = createHash('sha256').update('k'.repeat(201)).digest('hex');
    expect(normaliseKey('K'.repeat(200))).toBe('k'.repeat(200));
    expect(normaliseKey(long)).toBe(`sha256:${digest}`);
    expect(normaliseKey(` ${long} `)).toBe(`sha256:${digest}`);
    expect(normaliseKey(`${long}K`)).not.toBe(normaliseKey(long));
  });
});

describe('the business key of a record', () => {
  it.each([
    [
      'project',
      { number: 'LEX-001', name: 'Tower' },
      { field: 'number', text: 'LEX-001', normal: 'lex-001' },
    ],
    ['contract', { number: 'SC-001' }, { field: 'number', text: 'SC-001', normal: 'sc-001' }],
    ['invoice', { number: ' INV 1' }, { field: 'number', text: ' INV 1', normal: 'inv 1' }],
    ['payment', { check_number: 'CHK-1' }, { field: 'check_number', text: 'CHK-1', normal: 'chk-1' }],
    ['customer', { tax_id: '5000', name: 'Apex' }, { field: 'tax_id', text: '5000', normal: 'tax:5000' }],
    ['customer', { tax_id: ' ', name: 'Apex' }, { field: 'name', text: 'Apex', normal: 'name:apex' }],
    ['customer', { tax_id: null, name: 'Apex' }, { field: 'name', text: 'Apex', normal: 'name:apex' }],
    ['customer', { name: 'Apex' }, { field: 'name', text: 'Apex', normal: 'name:apex' }],
  ] as const)('of a %s with %j is %j', (entityType, data, key) => {
    expect(businessKeyOf(entityType, data)).toEqual(key);
  });

  it('never lets a tax number meet a name', () => {
    expect(businessKeyOf('customer', { tax_id: '5000' })?.normal).not.toBe(
      businessKeyOf('customer', { name: '5000' })?.normal,
    );
  });

  it.each([
    ['project', {}],
    ['project', { number: null }],
    ['project', { number: '  ' }],
    ['contract', { title: 'C-1' }],
    ['employee', { number: 'E-1' }],
    ['change_order', { number: '1' }],
  ] as const)('is none for a %s with %j', (entityType, data) => {
    expect(businessKeyOf(entityType, data)).toBeUndefined();
  });

  it('comes from the fields that the rules name', () => {
    expect(entityTypes.map((entityType) => [entityType, keyFieldsOf(entityType)])).toEqual([
      ['project', ['number']],
      ['customer', ['tax_id', 'name']],
      ['contract', ['number']],
      ['invoice', ['number']],
      ['payment', ['check_number']],
      ['employee', []],
      ['time_entry', []],
      ['change_order', []],
      ['budget_line_item', []],
    ]);
    expect(Object.entries(keyRules).map(([type, { parent }]) => [type, parent])).toEqual([
      ['project', undefined],
      ['customer', undefined],
      ['contract', 'project_id'],
      ['invoice', 'customer_id'],
      ['payment', 'invoice_id'],
    ]);
  });
});
