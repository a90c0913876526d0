import { addressMembers } from '../canonical/field';
import { fieldsOf } from '../canonical/types';
import { isJsonObject, ownMember, type JsonObject, type JsonValue } from '../json/json-value';
import { mappingOf } from '../platforms';
import { allMappings } from '../testing/all-mappings';
import { inUsd, isSilent, valueOf } from '../testing/canonical.arbitrary';
import { fc } from '../testing/property';
import { sortedJson } from '../testing/sorted-json';

// Text with everything in it that a platform may use to keep two values apart.
const part = fc.option(
  fc.oneof(
    fc.constantFrom('', '\n', '\r\n', '\r', 'a\nb', 'a\r\nb\n', '\na', ' a ', 'a'),
    fc.string({ maxLength: 8 }),
  ),
  { freq: 4 },
);
const addresses = fc
  .array(fc.tuple(fc.constantFrom(...addressMembers), part), { maxLength: 8 })
  .map((entries): JsonObject => Object.fromEntries(entries));

// Nothing has three spellings: a part that is empty, null or not there.
function parts(value: JsonValue): JsonObject {
  const present = isJsonObject(value) ? Object.entries(value) : [];
  return Object.fromEntries(present.filter(([, text]) => text !== null && text !== ''));
}

describe.each(allMappings)('what $name is sent', ({ mapping, entityType }) => {
  const written = mapping.describe().filter((description) => !isSilent(description));
  const fields = written.filter(({ field }) => fieldsOf(entityType)[field]?.refersTo === undefined);
  const values = fc.constantFrom(...fields).chain((description) => {
    const usual = valueOf(entityType, description, mapping, inUsd);
    const value = description.field === 'address' ? fc.oneof(usual, addresses) : usual;
    return value.map((found) => [description.field, found] as const);
  });

  it('changes nothing when it is sent again', () => {
    fc.assert(
      fc.property(values, ([field, value]) => {
        const sent = mapping.encode({ [field]: value }, inUsd);
        if (sent.issues.length > 0) return;
        const read = mapping.decode(sent.payload, inUsd).data;
        const again = mapping.encode({ [field]: ownMember(read, field) ?? null }, inUsd);
        expect(again.issues).toEqual([]);
        // A null also says what an absent value leaves out.
        for (const member of Object.keys(sent.payload)) {
          expect(sortedJson(again.payload[member])).toBe(sortedJson(sent.payload[member]));
        }
      }),
    );
  });
});

describe.each(allMappings.filter(({ mapping }) => mapping.pathsOf('address').length > 0))(
  'an address on $name',
  ({ mapping, platform }) => {
    // A country is a code there, which comes back trimmed and in upper case.
    const kept = (address: JsonObject): JsonObject => {
      const { country } = address;
      if (platform !== 'platform_b' || typeof country !== 'string') return address;
      return { ...address, country: country.trim().toUpperCase() };
    };

    it('comes back as it was, or is refused', () => {
      fc.assert(
        fc.property(addresses, (address) => {
          const { payload, issues } = mapping.encode({ address }, inUsd);
          if (issues.length > 0) {
            expect(issues[0]?.problem).toMatch(/line1 holds a line break|is longer than/);
            return;
          }
          const back = mapping.decode(payload, inUsd).data.address ?? null;
          expect(parts(back)).toEqual(parts(kept(address)));
        }),
        { numRuns: 300 },
      );
    });
  },
);

describe('an address on platform_a', () => {
  const { encode, decode } = ((mapping) => ({
    encode: (address: JsonObject) => mapping.encode({ address }, inUsd),
    decode: (address: string) => mapping.decode({ address }, inUsd).data.address,
  }))(mappingOf('platform_a', 'customer'));

  it('keeps its second line when the first is cleared', () => {
    const { payload } = encode({ line1: null, line2: 'Floor 2', city: 'Doha' });
    expect(payload).toMatchObject({ address: '\nFloor 2', city: 'Doha' });
    expect(decode('\nFloor 2')).toEqual({ line1: null, line2: 'Floor 2' });
  });

  it('refuses a first line with a break in it, which would grow with each change', () => {
    expect(encode({ line1: 'Street 1\nFloor 2', line2: 'Room 3' }).issues).toEqual([
      {
        path: 'address',
        problem: 'line1 holds a line break, which platform_a keeps between the two lines of a street',
      },
    ]);
  });
});
