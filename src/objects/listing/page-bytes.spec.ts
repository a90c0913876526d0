import { fc } from '../../../libs/mapper/src/testing/property';
import { PageBytes } from './page-bytes';

describe('PageBytes', () => {
  it('makes one JSON array of elements, on however many pages they are', () => {
    const pages = fc.array(fc.array(fc.string(), { maxLength: 4 }), { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(pages, (given) => {
        const pieces: Buffer[] = [];
        let before = 0;
        for (const [place, elements] of given.entries()) {
          const bytes = new PageBytes(before, place === 0);
          for (const element of elements) bytes.add(JSON.stringify(element));
          bytes.end(place === given.length - 1);
          expect(bytes.records).toBe(elements.length);
          pieces.push(...bytes.pieces);
          before += bytes.records;
        }
        expect(JSON.parse(Buffer.concat(pieces).toString())).toEqual(given.flat());
      }),
    );
  });

  it('cuts a long page into pieces', () => {
    const bytes = new PageBytes(0, true);
    const long = JSON.stringify('x'.repeat(200 * 1024));
    expect([long, long, long].map((element) => bytes.add(element))).toEqual([false, true, false]);
    bytes.end(true);
    expect(bytes.pieces).toHaveLength(2);
  });
});
