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

  it('ends behind many empty pages, and goes on over as many between others', () => {
    const links = (at: number): string => `https://erp.example/list?page=${at}`;
    let place: ListPlace | undefined = beginningOf('https://erp.example/list', 100);
    for (let at = 0; at < 300; at += 1)
      place = place && placeBehind(place, links(at), at % 100 === 0 ? page(at) : []);
    expect(place).toMatchObject({ pages: 300 });
    let read = 0;
    for (; place !== undefined && read < 200; read += 1) place = placeBehind(place, links(300 + read), []);
    expect(place).toBeUndefined();
  });

  it('ends behind a number of pages that no list has', () => {
    const place = { ...beginningOf('https://erp.example/list', 100), pages: 99_999 };
    const last = placeBehind(place, 'https://erp.example/list?page=1', page(1));
    expect(last).toMatchObject({ pages: 100_000 });
    expect(last && placeBehind(last, 'https://erp.example/list?page=2', page(2))).toBeUndefined();
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

  it.each<JsonValue>([null, 7, {}, { url: 'x', size: '5', last: '', mark: '', pages: 0, empty: 0 }])(
    'is not %j',
    (value) => {
      expect(readPlace(value)).toBeUndefined();
    },
  );
});
