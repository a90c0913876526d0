import { fc } from '../../../mapper/src/testing/property';
import { placesIn, placesOf, refusedPaths } from './json-places';

const record = `{
  "id": 7, "vendor": { "name": "A \\" b" },
  "line_items": [{ "amount": 1.50 }, { "amount": "2" }],
  "@odata.etag": null
}`;
const textsOf = (...paths: string[]) =>
  placesOf(record, new Set(paths)).map(({ start, end }) => record.slice(start, end));

describe('the places of a JSON text', () => {
  it('are named as the report names them, and as a refusal does', () => {
    expect(textsOf('id')).toEqual(['7']);
    expect(textsOf('vendor.name')).toEqual(['"A \\" b"']);
    expect(textsOf('line_items[].amount')).toEqual(['1.50', '"2"']);
    expect(textsOf('line_items[1].amount')).toEqual(['"2"']);
    expect(textsOf('["@odata.etag"]')).toEqual(['null']);
    expect(textsOf('vendor', 'vendor.name')).toEqual(['{ "name": "A \\" b" }']);
    expect(textsOf('other')).toEqual([]);
  });

  it('hold the values that the text holds', () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.string(), fc.jsonValue()),
        fc.integer({ min: 0, max: 4 }),
        (value, indent) => {
          const json = JSON.stringify(value, null, indent);
          const places = placesIn(json);
          for (const { start, end } of places)
            expect(() => JSON.parse(json.slice(start, end)) as unknown).not.toThrow();
          expect(places.filter(({ exact }) => Object.keys(value).some((name) => exact === name)).length).toBe(
            Object.keys(value).filter((name) => /^[A-Za-z0-9_$-]+$/.test(name)).length,
          );
        },
      ),
    );
  });

  it('are found in the words of a refusal', () => {
    expect([
      ...refusedPaths('data.amount: expected a decimal; data.line_items[2].qty: expected a number'),
    ]).toEqual(['amount', 'line_items[2].qty']);
    expect([...refusedPaths('context.commitmentType: expected one of a, b')]).toEqual([]);
  });
});
