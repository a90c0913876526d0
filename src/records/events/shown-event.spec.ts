import { fc } from '../../../libs/mapper/src/testing/property';
import { idPrefixOf, sequenceOf, shownEvent } from './shown-event';

const customer = fc.uuid();
const sequence = fc.integer({ min: 1, max: 2 ** 49 });
const noted = {
  type: 'run.completed',
  at: '2026-02-04T08:31:07.120345Z',
  causeId: '',
  entityType: null,
} as const;

describe('the ID of an event', () => {
  it('leads back to its number, for its own customer only', () => {
    fc.assert(
      fc.property(customer, customer, sequence, (one, other, number) => {
        const { id } = shownEvent(one, { ...noted, sequence: number, canonicalId: null, data: '{}' });
        expect(sequenceOf(one, id)).toBe(number);
        expect(sequenceOf(other, id)).toBe(one === other ? number : undefined);
      }),
    );
  });

  it.each(['', '0', '-1', '1.5', '01', 'x', '9'.repeat(16)])('does not end in %p', (end) => {
    const id = 'e3b0c442-98fc-4c14-9afb-f4c8996fb924';
    expect(sequenceOf(id, `${idPrefixOf(id)}${end}`)).toBeUndefined();
  });
});

describe('an event', () => {
  it('shows the data that it was stored with, to the last digit', () => {
    fc.assert(
      fc.property(customer, sequence, fc.dictionary(fc.string(), fc.jsonValue()), (id, number, data) => {
        const text = JSON.stringify(data);
        const shown = shownEvent(id, { ...noted, sequence: number, canonicalId: null, data: text });
        expect(JSON.parse(shown.text)).toEqual({
          id: shown.id,
          sequence: number,
          type: noted.type,
          at: noted.at,
          data: JSON.parse(text),
        });
      }),
    );
  });
});
