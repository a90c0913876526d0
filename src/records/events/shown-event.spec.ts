import { fc } from '../../../libs/mapper/src/testing/property';
import { eventIdOf, sequenceOf, shownEvent } from './shown-event';

const customer = fc.uuid();
const sequence = fc.integer({ min: 1, max: 2 ** 49 });
const noted = {
  type: 'run.completed',
  at: '2026-02-04T08:31:07.120345Z',
  causeId: '',
  place: 1,
  entityType: null,
} as const;

describe('the ID of an event', () => {
  it('leads back to its number', () => {
    fc.assert(
      fc.property(customer, sequence, (one, number) => {
        const { id } = shownEvent(one, { ...noted, sequence: number, canonicalId: null, data: '{}' });
        expect(sequenceOf(id)).toBe(number);
      }),
    );
  });

  it('is no other one’s with the same number: of another customer, cause or place', () => {
    const name = fc.record({ customerId: customer, causeId: fc.uuid(), place: fc.nat() });
    fc.assert(
      fc.property(sequence, fc.array(name, { maxLength: 4 }), (number, names) => {
        const ids = names.map(({ customerId, ...event }) =>
          eventIdOf(customerId, { ...event, sequence: number }),
        );
        const different = names.map(({ customerId, causeId, place }) => `${customerId} ${causeId} ${place}`);
        expect(new Set(ids).size).toBe(new Set(different).size);
      }),
    );
  });

  it.each(['', '0', '-1', '1.5', '01', 'x', '9'.repeat(16)])('does not end in %p', (end) => {
    expect(sequenceOf(`evt_e3b0c44298fc4c14_${end}`)).toBeUndefined();
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
