import { ConcurrencySlots } from './concurrency-slots';

describe('ConcurrencySlots', () => {
  it('limits what is done in total and for each key', () => {
    const places = new ConcurrencySlots(3, 2);
    places.acquire('a', 2);
    expect([places.room, places.roomFor('a'), places.roomFor('b'), places.fullKeys]).toEqual([
      1,
      0,
      1,
      ['a'],
    ]);
    places.acquire('b', 1);
    expect([places.room, places.roomFor('b')]).toEqual([0, 0]);
    places.release('a', 2);
    places.release('b', 1);
    expect([places.room, places.roomFor('a'), places.fullKeys]).toEqual([3, 2, []]);
  });
});
