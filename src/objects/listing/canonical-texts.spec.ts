import { fc } from '../../../libs/mapper/src/testing/property';
import type { CopyRow, ObjectRows } from '../../records/objects/copy-rows';
import { agreedFrom } from '../../records/terms/terms-text';
import { CanonicalTexts } from './canonical-texts';
import { FairCache } from './fair-cache';
import { canonicalText } from './record-text';
import type { CachedListing } from './cached-listing';

const row: CopyRow = {
  canonical_id: 'pay_1',
  entity_type: 'payment',
  platform: 'platform_a',
  platform_id: '1',
  variant: null,
  payload: '{"id":1,"amount":"1.00"}',
  accepted: null,
  extra: '{}',
  inherited_currency: 'USD',
  local_currency: 'USD',
  invoice_number: null,
  project_canonical_id: null,
  customer_canonical_id: null,
  contract_canonical_id: null,
  invoice_canonical_id: null,
};

const noTerms = agreedFrom(null);
const agreements = [
  noTerms,
  agreedFrom('{"rates":[["USD","QAR","4"]],"terms":null}'),
  agreedFrom('{"rates":null,"terms":[["precedence","payment.amount",["platform_b"]]]}'),
];

const aText = { text: 'a text', version: 'a version' };

const textsMadeBy = (make: ConstructorParameters<typeof CanonicalTexts>[0]) =>
  new CanonicalTexts(make, new FairCache<CachedListing>(1024 * 1024));

/** The parts of a row that a payload, a write beside the records, a neighbour or a connection may change. */
const changes = fc.record(
  {
    payload: fc.constantFrom('{"id":1,"amount":"1.00"}', '{"id":1,"amount":"2.00"}', '{"id":1,"notes":"x"}'),
    accepted: fc.constantFrom(null, '{"id":1,"amount":"3.00"}'),
    extra: fc.constantFrom('{}', '{"status":"paid"}'),
    inherited_currency: fc.constantFrom('USD', 'QAR'),
    local_currency: fc.constantFrom('USD', 'AED'),
    invoice_number: fc.constantFrom(null, 'INV-1', 'INV-2'),
    project_canonical_id: fc.constantFrom(null, 'prj_1'),
    invoice_canonical_id: fc.constantFrom(null, 'inv_1'),
    platform_id: fc.constantFrom('1', '2'),
  },
  { requiredKeys: [] },
);

describe('CanonicalTexts', () => {
  it('gives what a new reading would, for every sequence of changes', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(changes, fc.constantFrom(...agreements)), { maxLength: 30 }),
        (sequence) => {
          const texts = textsMadeBy(canonicalText);
          let rows: ObjectRows = [row];
          for (const [change, agreed] of sequence) {
            rows = [{ ...rows[0], ...change }];
            const text = texts.known('a', rows, agreed) ?? texts.made('a', rows, agreed, true);
            expect(text).toEqual(canonicalText(rows, agreed.terms));
            // The same texts, read again.
            expect(texts.known('a', [{ ...rows[0] }], agreedFrom(agreed.text))).toBe(text);
          }
        },
      ),
    );
  });

  it.each(Object.keys(row))('makes a new text when %s has changed', (column) => {
    const texts = textsMadeBy(() => aText);
    texts.made('a', [row], noTerms, true);
    expect(texts.known('a', [row], noTerms)).toBe(aText);
    expect(texts.known('a', [{ ...row, [column]: 'another' }], noTerms)).toBeUndefined();
  });

  it('makes a new text when the terms have changed', () => {
    const texts = textsMadeBy(() => aText);
    texts.made('a', [row], noTerms, true);
    for (const agreed of agreements.slice(1)) expect(texts.known('a', [row], agreed)).toBeUndefined();
  });

  it('knows nothing when a record has come or gone', () => {
    const texts = textsMadeBy(() => aText);
    texts.made('a', [row], noTerms, true);
    expect(texts.known('a', [row, { ...row, platform: 'platform_b' }], noTerms)).toBeUndefined();
  });

  it('keeps customers apart, and does not keep excluded texts', () => {
    const texts = textsMadeBy(() => aText);
    texts.made('a', [row], noTerms, true);
    texts.made('b', [row], noTerms, false);
    expect(texts.known('b', [row], noTerms)).toBeUndefined();
  });
});
