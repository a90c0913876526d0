import type { JsonValue } from '@app/mapper';
import { beginningOf, placeBehind, readPlace, type ListPlace } from './list-place';

const page = (id: number) => [{ id: `record-${id}` }];

/** Walks over pages by their numbers until a page is refused. @returns the number of pages read */
function pagesUntilRefused(numbers: readonly number[]): number {
  let place: ListPlace = beginningOf('https://erp.example/list', 100);
  for (const [read, number] of numbers.entries()) {
    const next = placeBehind(place, `https://erp.example/list?page=${read}`, page(number));
    if (next === undefined) return read;
    place = next;
  }
  return numbers.length;
}

const circle = (lead: number, length: number): readonly number[] =>
  Array.from({ length: 200 }, (_, at) => (at < lead ? at : lead + ((at - lead) % length)));

describe('a place in a list', () => {
  it('goes on as long as pages differ', () => {
    expect(pagesUntilRefused(Array.from({ length: 500 }, (_, at) => at))).toBe(500);
  });

  it('ends at a page that follows itself', () => {
    expect(pagesUntilRefused([1, 2, 2])).toBe(2);
  });

  it.each([
    [0, 1],
    [0, 3],
    [5, 2],
    [7, 13],
    [40, 60],
  ])('ends when pages repeat: %s pages lead to one of %s', (lead, length) => {
    expect(pagesUntilRefused(circle(lead, length))).toBeLessThanOrEqual(3 * (lead + length) + 1);
  });

  it('ends at a link to itself', () => {
    const place = beginningOf('https://erp.example/list', 100);
    expect(placeBehind(place, place.url, page(1))).toBeUndefined();
  });

  it('goes on over empty pages, whose links differ', () => {
    let place: ListPlace | undefined = beginningOf('https://erp.example/list', 100);
    for (let at = 0; at < 5; at += 1) {
      place = place && placeBehind(place, `https://erp.example/list?page=${at}`, []);
    }
    expect(place).toMatchObject({ pages: 5, url: 'https://erp.example/list?page=4' });
  });

  it('has a bounded size, and survives JSON', () => {
    let place: ListPlace | undefined = beginningOf('https://erp.example/list', 100);
    for (let at = 0; at < 300; at += 1) {
      place = place && placeBehind(place, `https://erp.example/list?page=${at}`, page(at));
    }
    const text = JSON.stringify(place);
    expect(text.length).toBeLessThan(250);
    expect(readPlace(JSON.parse(text))).toEqual(place);
  });

  it.each<JsonValue>([null, 7, {}, { url: 'x', size: '5', last: '', mark: '', pages: 0 }])(
    'is not %j',
    (value) => {
      expect(readPlace(value)).toBeUndefined();
    },
  );
});
