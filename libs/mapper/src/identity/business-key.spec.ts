import { createHash } from 'node:crypto';
import { entityTypes } from '../canonical/entity-type';
import { fc } from '../testing/property';
import { foldCase, businessKeyOf, keyFieldsOf, keyRules, normaliseKey } from './business-key';

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
    // The combining iota alone changes its place in a text when it becomes upper case; the dotless ı becomes another letter, I.
    fc.assert(
      fc.property(
        texts.filter((text) => !/[\u0345ı]/.test(text.normalize('NFD'))),
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
    ['KIRIKKALE ı', 'kirikkale ı'],
    ['A\u001fB\u0085\u009fC', 'a b c'],
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
    ['ı', 'i'],
    ['KILIÇ', 'kılıç'],
  ])('keeps "%s" and "%s" apart', (left, right) => {
    expect(normaliseKey(left)).not.toBe(normaliseKey(right));
  });

  it.each(['', ' ', '\t\n\u00a0\ufeff', 'a\0b', '\ud83d'])('is none for %j', (text) => {
    expect(normaliseKey(text)).toBeUndefined();
  });

  it('holds no control character', () => {
    for (let code = 1; code < 0xa0; code += 1) {
      const text = `A${String.fromCharCode(code)}B`;
      expect(normaliseKey(text)).not.toMatch(/\p{Cc}/u);
    }
  });

  it('joins what Unicode’s case folding joins, over all characters', () => {
    // The engine’s case-insensitive matching follows simple case folding (CaseFolding.txt, C and S). Beyond it, full
    // folding (F) only opens characters whose upper case is several, and ß and İ.
    const wrong: string[] = [];
    for (let code = 1; code <= 0x10ffff; code += 1) {
      if (code >= 0xd800 && code <= 0xdfff) continue;
      const character = String.fromCodePoint(code);
      const [lower, upper, folded] = [character.toLowerCase(), character.toUpperCase(), foldCase(character)];
      if (lower === character && upper === character && folded === character) continue;
      const opens = upper.length > character.length || lower.length > character.length || code === 0x1e9e;
      const joined = new RegExp(`^${folded}$`, 'iu').test(character);
      if (!joined && !opens) wrong.push(`${code.toString(16)} must not fold to ${folded}`);
      for (const other of [lower, upper]) {
        const isOne = [...other].length === 1 && new RegExp(`^${other}$`, 'iu').test(character);
        if (isOne && foldCase(other) !== folded) wrong.push(`${code.toString(16)} must fold as ${other}`);
      }
    }
    expect(wrong).toEqual([]);
  });

  it('compares a text that is too long for a key as it is written', () => {
    const long = '\ufdfa'.repeat(1001);
    expect(normaliseKey(long)).toBe(`sha256:${createHash('sha256').update(long).digest('hex')}`);
    expect(normaliseKey('\ufdfa'.repeat(1000))).toMatch(/^sha256:/);
    expect(normaliseKey(' '.repeat(1001))).toBeUndefined();
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
