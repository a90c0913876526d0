import { parseJsonText, stringifyJson, type JsonObject } from '@app/mapper';
import { anyJson } from '../../../libs/mapper/src/testing/json.arbitrary';
import { fc } from '../../../libs/mapper/src/testing/property';
import { digestOf } from './digest';

const of = (text: string) => digestOf('POST', '/propagate', parseJsonText(text) as JsonObject);

describe('digestOf', () => {
  it('is the same for bodies that are equal as JSON', () => {
    expect(of('{"a":{"b":1,"c":[1,2]},"d":null}')).toBe(of(' {"d":null, "a":{"c":[1, 2],"b":1}}'));
  });

  it.each([
    ['{"a":1}', '{"a":"1"}'],
    ['{"a":1}', '{"b":1}'],
    ['{"a":[1,2]}', '{"a":[2,1]}'],
    ['{"a":[]}', '{"a":{}}'],
    ['{"a":[[1],2]}', '{"a":[[1,2]]}'],
    ['{"a":null}', '{}'],
    ['{"a":"b\\",\\"c"}', '{"a":"b","c":""}'],
    ['{"a":9007199254740993}', '{"a":9007199254740992}'],
  ])('differs for %s and %s', (one, other) => {
    expect(of(one)).not.toBe(of(other));
  });

  it('differs by method and path', () => {
    expect(
      new Set([digestOf('POST', '/a', {}), digestOf('POST', '/b', {}), digestOf('PUT', '/a', {})]).size,
    ).toBe(3);
  });

  it('does not depend on the order of members, and on everything else', () => {
    fc.assert(
      fc.property(anyJson, anyJson, (one, other) => {
        const reversed = (value: unknown): unknown =>
          Array.isArray(value)
            ? value.map(reversed)
            : typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype
              ? Object.fromEntries(
                  Object.entries(value)
                    .reverse()
                    .map(([name, member]) => [name, reversed(member)]),
                )
              : value;
        const [body, changed] = [{ body: one }, { body: reversed(one) }] as JsonObject[];
        expect(digestOf('POST', '/', changed ?? {})).toBe(digestOf('POST', '/', body ?? {}));
        if (
          stringifyJson(one) !== stringifyJson(other) &&
          JSON.stringify(one).length !== JSON.stringify(other).length
        ) {
          expect(digestOf('POST', '/', { body: other })).not.toBe(digestOf('POST', '/', { body: one }));
        }
      }),
    );
  });
});
