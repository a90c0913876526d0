import { unknownMembers } from '../testing/json.arbitrary';
import { fc } from '../testing/property';
import { sortedJson } from '../testing/sorted-json';
import { isJsonObject, type JsonObject } from './json-value';
import { mergePatch } from './merge-patch';

const parse = (text: string) => JSON.parse(text) as JsonObject;

describe('a merge patch', () => {
  // The examples of RFC 7396, appendix A, whose target and patch are objects; null stays null here.
  it.each([
    ['{"a":"b"}', '{"a":"c"}', '{"a":"c"}'],
    ['{"a":"b"}', '{"b":"c"}', '{"a":"b","b":"c"}'],
    ['{"a":"b"}', '{"a":null}', '{"a":null}'],
    ['{"a":"b","b":"c"}', '{"a":null}', '{"a":null,"b":"c"}'],
    ['{"a":["b"]}', '{"a":"c"}', '{"a":"c"}'],
    ['{"a":"c"}', '{"a":["b"]}', '{"a":["b"]}'],
    ['{"a":{"b":"c"}}', '{"a":{"b":"d","c":null}}', '{"a":{"b":"d","c":null}}'],
    ['{"a":[{"b":"c"}]}', '{"a":[1]}', '{"a":[1]}'],
    ['{"e":null}', '{"a":1}', '{"e":null,"a":1}'],
    ['{}', '{"a":{"bb":{"ccc":null}}}', '{"a":{"bb":{"ccc":null}}}'],
    [
      '{"title":"Goodbye!","author":{"givenName":"John","familyName":"Doe"}}',
      '{"title":"Hello!","author":{"familyName":null}}',
      '{"title":"Hello!","author":{"givenName":"John","familyName":null}}',
    ],
  ])('turns %s with %s into %s', (target, patch, result) => {
    expect(mergePatch(parse(target), parse(patch))).toEqual(parse(result));
  });

  it('changes nothing when it is empty, everything when it is repeated once', () => {
    fc.assert(
      fc.property(unknownMembers, unknownMembers, (target, patch) => {
        expect(sortedJson(mergePatch(target, {}))).toBe(sortedJson(target));
        const once = mergePatch(target, patch);
        expect(sortedJson(mergePatch(once, patch))).toBe(sortedJson(once));
      }),
    );
  });

  it('leaves target and patch as they were', () => {
    fc.assert(
      fc.property(unknownMembers, unknownMembers, (target, patch) => {
        const before = [sortedJson(target), sortedJson(patch)];
        mergePatch(target, patch);
        expect([sortedJson(target), sortedJson(patch)]).toEqual(before);
      }),
    );
  });

  it('holds __proto__ to be a member like any other', () => {
    const merged = mergePatch(
      parse('{"__proto__":{"a":1}}'),
      parse('{"__proto__":{"b":2},"constructor":{"c":3}}'),
    );
    expect(JSON.stringify(merged)).toBe('{"__proto__":{"a":1,"b":2},"constructor":{"c":3}}');
    expect(Object.getPrototypeOf(merged)).toBe(Object.prototype);
    expect(isJsonObject(merged)).toBe(true);
  });
});
