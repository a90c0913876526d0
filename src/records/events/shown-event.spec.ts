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

  it('is no other event’s: not of another customer, cause, place or number', () => {
    // A few texts and numbers, so that names differ in one part alone, exchange two parts, or continue one in the next.
    const uuid = fc.constantFrom(
      '00000000-0000-4000-8000-000000000001',
      '00000000-0000-4000-8000-000000000011',
    );
    const causeId = fc.oneof(uuid, fc.string({ unit: fc.constantFrom('1', ' ', '_'), maxLength: 3 }));
    const few = fc.constantFrom(1, 11, 111);
    const name = fc.record({ customerId: uuid, causeId, place: few, sequence: few });
    fc.assert(
      fc.property(fc.array(name, { minLength: 2, maxLength: 300, size: 'max' }), (names) => {
        const different = names.map((one) =>
          JSON.stringify([one.customerId, one.causeId, one.place, one.sequence]),
        );
        const ids = names.map(({ customerId, ...event }) => eventIdOf(customerId, event));
        expect(new Set(ids).size).toBe(new Set(different).size);
      }),
    );
  });

  it('depends on each part alone', () => {
    const name = fc.record({ customerId: customer, causeId: fc.uuid(), place: fc.nat(), sequence });
    fc.assert(
      fc.property(name, name, (one, other) => {
        const { customerId, ...event } = one;
        const different = [
          { ...one, customerId: other.customerId },
          { ...one, causeId: other.causeId },
          { ...one, place: other.place },
          { ...one, sequence: other.sequence },
          { ...one, customerId: one.causeId, causeId: customerId },
        ].filter((changed) => JSON.stringify(changed) !== JSON.stringify(one));
        const id = eventIdOf(customerId, event);
        expect(different.map((changed) => eventIdOf(changed.customerId, changed))).not.toContain(id);
      }),
    );
  });

  it('is the same whenever it is read, also after an upgrade: receivers recognise a delivery by it', () => {
    const event = { causeId: '5d0c7a9e-3f52-4c1b-9f6e-0a1b2c3d4e5f', place: 1_000_000_001, sequence: 118 };
    expect(eventIdOf('a9b0b1e6-c7bb-4579-94b9-13b54eb05029', event)).toBe('evt_e9480865476be230_118');
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
