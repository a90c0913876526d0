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
});
