import { MOST_WAITING, WAIT_LIMIT_MS } from './event-loop-scheduler';
import { Overloaded } from './overloaded';
import { KeyedConcurrencyLimit } from './keyed-concurrency-limit';

describe('KeyedConcurrencyLimit', () => {
  let places: KeyedConcurrencyLimit;
  let begun: string[];
  let refused: Map<string, unknown>;
  beforeEach(() => {
    jest.useFakeTimers();
    places = new KeyedConcurrencyLimit(2);
    begun = [];
    refused = new Map();
  });
  afterEach(() => jest.useRealTimers());

  const enter = (tenant: string, work: string) =>
    places.acquire(tenant, {
      begin: () => void begun.push(work),
      refuse: (reason) => void refused.set(work, reason),
    });

  it('begins up to the limit of a customer’s tasks, and the next in order as these end', () => {
    for (const work of ['a1', 'a2', 'a3', 'a4']) enter('a', work);
    expect(begun).toEqual(['a1', 'a2']);
    expect(places.waiting).toBe(2);
    places.release('a');
    expect(begun).toEqual(['a1', 'a2', 'a3']);
    places.release('a');
    places.release('a');
    expect(begun).toEqual(['a1', 'a2', 'a3', 'a4']);
    expect(places.waiting).toBe(0);
  });

  it('lets no customer wait for another', () => {
    for (const work of ['a1', 'a2', 'a3', 'a4']) enter('a', work);
    enter('b', 'b1');
    expect(begun).toContain('b1');
  });

  it('has room again when all tasks have ended', () => {
    for (const work of ['a1', 'a2']) enter('a', work);
    places.release('a');
    places.release('a');
    places.release('a'); // A release without an acquisition.
    for (const work of ['a3', 'a4', 'a5']) enter('a', work);
    expect(begun).toEqual(['a1', 'a2', 'a3', 'a4']);
  });

  it('refuses what waited for too long, and begins the others', () => {
    for (const work of ['a1', 'a2', 'late']) enter('a', work);
    jest.advanceTimersByTime(WAIT_LIMIT_MS - 1);
    enter('a', 'a3');
    expect(refused.size).toBe(0);
    jest.advanceTimersByTime(1);
    expect([...refused.keys()]).toEqual(['late']);
    expect(refused.get('late')).toBeInstanceOf(Overloaded);
    places.release('a');
    expect(begun).toEqual(['a1', 'a2', 'a3']);
    jest.advanceTimersByTime(WAIT_LIMIT_MS);
    expect([...refused.keys()]).toEqual(['late']);
  });

  it('refuses at once what comes when too many wait', () => {
    for (let work = 0; work < 2 + MOST_WAITING.each; work += 1) enter('a', String(work));
    expect(refused.size).toBe(0);
    enter('a', 'one too many');
    expect(refused.get('one too many')).toBeInstanceOf(Overloaded);
    for (let tenant = 1; tenant < MOST_WAITING.all / MOST_WAITING.each; tenant += 1) {
      for (let work = 0; work < 2 + MOST_WAITING.each; work += 1) enter(`a${tenant}`, String(work));
    }
    for (const work of ['b1', 'b2', 'b3']) enter('b', work);
    expect([...refused.keys()]).toEqual(['one too many', 'b3']);
  });
});
