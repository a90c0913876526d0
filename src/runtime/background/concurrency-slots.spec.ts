import { ConcurrencySlots } from './concurrency-slots';

describe('ConcurrencySlots', () => {
  it('limits what is done in total and for each key', () => {
    const slots = new ConcurrencySlots(3, 2);
    slots.acquire('a', 2);
    expect([slots.room, slots.roomFor('a'), slots.roomFor('b'), slots.fullKeys]).toEqual([1, 0, 1, ['a']]);
    slots.acquire('b', 1);
    expect([slots.room, slots.roomFor('b')]).toEqual([0, 0]);
    slots.release('a', 2);
    slots.release('b', 1);
    expect([slots.room, slots.roomFor('a'), slots.fullKeys]).toEqual([3, 2, []]);
  });

  it('keeps slots for keys that have none', () => {
    const slots = new ConcurrencySlots(6, 4, 2);
    slots.acquire('a', slots.roomFor('a'));
    expect([slots.room, slots.roomFor('a'), slots.roomFor('b'), slots.fullKeys]).toEqual([2, 0, 1, ['a']]);
    slots.acquire('b', 1);
    expect([slots.roomFor('b'), slots.roomFor('c'), slots.fullKeys]).toEqual([0, 1, ['a', 'b']]);
    slots.acquire('c', 1);
    expect(slots.roomFor('d')).toBe(0);
    slots.release('a', 4);
    expect([slots.roomFor('b'), slots.roomFor('d')]).toEqual([2, 2]);
  });
});
