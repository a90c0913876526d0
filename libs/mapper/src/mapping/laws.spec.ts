import { fieldsOf } from '../canonical/types';
import { valueNamed } from '../json/json-path';
import { parseJsonText, stringifyJson } from '../json/json-text';
import {
  isJsonArray,
  isJsonObject,
  ownMember,
  setMember,
  type JsonObject,
  type JsonValue,
} from '../json/json-value';
import { allMappings, counterpartsOf, type NamedMapping } from '../testing/all-mappings';
import { platformOf } from '../platforms';
import { canonicalData, inUsd, isSilent, valueOf } from '../testing/canonical.arbitrary';
import { anyJson, unknownMembers } from '../testing/json.arbitrary';
import { payloadOf } from '../testing/payload.arbitrary';
import { fc } from '../testing/property';
import { sandboxRecords } from '../testing/sandbox-records';
import { changedPaths, sortedJson } from '../testing/sorted-json';
import type { EncodeContext } from './writing/encode';
import { residueFromJson, residueToJson, type Residue } from './reading/residue';

/** What a store or a client gives back: the same value, from text. */
function throughText(value: JsonValue): JsonValue {
  return parseJsonText(stringifyJson(value));
}

function residueThroughText(residue: Residue): Residue {
  const read = residueFromJson(throughText(residueToJson(residue)));
  if (read === undefined) throw new Error('a residue must read as one');
  return read;
}

function objectThroughText(value: JsonObject): JsonObject {
  const read = throughText(value);
  if (!isJsonObject(read)) throw new Error('an object must read as one');
  return read;
}

/** Both mean the same on the platform, or the platform has one word for both. */
function sameUpToFold(
  { mapping }: NamedMapping,
  field: string,
  left: JsonValue,
  right: JsonValue,
  context: EncodeContext,
) {
  if (sortedJson(left) === sortedJson(right)) return true;
  const folds = mapping.foldsWords(field) || isJsonObject(left);
  return folds && mapping.cannotTell(field, left, right, context);
}

describe.each(allMappings)('the mapping of $name', (named) => {
  const { mapping, entityType } = named;
  const payloads = payloadOf(named, { portable: false, currencies: ['USD', 'QAR', 'JPY', 'KWD'] });

  it('says of each value that it cannot read where the payload has it', () => {
    fc.assert(
      fc.property(payloads, (payload) => {
        const { issues } = mapping.decode(payload, inUsd);
        expect(issues.filter(({ path }) => valueNamed(payload, path) === undefined)).toEqual([]);
      }),
    );
  });

  it('gives every payload back whole, whatever else it holds', () => {
    fc.assert(
      fc.property(payloads, (payload) => {
        const { data, residue, currency } = mapping.decode(payload, inUsd);
        const back = mapping.encode(objectThroughText(data), {
          residue: residueThroughText(residue),
          currency,
          localCurrency: 'USD',
        });
        expect(back.issues).toEqual([]);
        expect(sortedJson(back.payload)).toBe(sortedJson(payload));
      }),
    );
  });

  it('gives canonical data back as it was', () => {
    fc.assert(
      fc.property(canonicalData(entityType, mapping, inUsd), (data) => {
        const written = mapping.encode(data, inUsd);
        expect(written.issues).toEqual([]);
        const read = mapping.decode(objectThroughText(written.payload), inUsd);
        expect(read.issues).toEqual([]);
        const wrong = Object.keys(data).filter((field) => {
          const back = ownMember(read.data, field);
          return back === undefined || !sameUpToFold(named, field, data[field] ?? null, back, inUsd);
        });
        expect({ wrong, data, written: written.payload }).toEqual({
          wrong: [],
          data,
          written: written.payload,
        });
      }),
    );
  });

  it('lets an edit win, and touches nothing but its fields', () => {
    const portable = payloadOf(named, { portable: true });
    // The lines are changed on their platform only, and another currency is another amount everywhere.
    const written = mapping
      .describe()
      .filter((description) => !isSilent(description) && !['currency', 'lines'].includes(description.field));
    const fields = written.filter(({ field }) => fieldsOf(entityType)[field]?.refersTo === undefined);
    const edit = fc
      .constantFrom(...fields)
      .chain((description) =>
        valueOf(entityType, description, mapping, inUsd).map((value) => [description.field, value] as const),
      );
    fc.assert(
      fc.property(portable, fc.array(edit, { minLength: 1, maxLength: 3 }), (payload, edits) => {
        const { data, residue, issues } = mapping.decode(payload, inUsd);
        expect(issues).toEqual([]);
        const edited: Record<string, JsonValue> = { ...data };
        for (const [field, value] of edits) setMember(edited, field, value);
        const after = mapping.encode(edited, { ...inUsd, residue: residueThroughText(residue) });
        expect(after.issues).toEqual([]);

        const read = mapping.decode(after.payload, inUsd).data;
        const changed = new Set(edits.map(([field]) => field));
        for (const field of changed) {
          const back = ownMember(read, field) ?? null;
          if (!sameUpToFold(named, field, edited[field] ?? null, back, inUsd))
            expect(back).toEqual(edited[field]);
        }
        const derived = Object.keys(mapping.options.derived ?? {});
        for (const field of Object.keys(data).filter(
          (name) => !changed.has(name) && !derived.includes(name),
        )) {
          expect({ [field]: read[field] }).toEqual({ [field]: data[field] });
        }
        const allowed = fields.filter(({ field }) => changed.has(field)).flatMap(({ paths }) => paths);
        const touched = changedPaths(payload, after.payload);
        expect(touched.filter((path) => !allowed.some((mine) => within(path, mine)))).toEqual([]);
      }),
    );
  });

  it('takes any JSON object: it gives data and issues, and never throws', () => {
    fc.assert(
      fc.property(fc.oneof(payloads, garbage(named)), (payload) => {
        const { data, issues } = mapping.decode(payload, inUsd);
        for (const { path, problem } of issues) {
          expect(path).not.toBe('');
          expect(problem).not.toBe('');
        }
        const strange = Object.entries(data).filter(([field, value]) => {
          const definition = fieldsOf(entityType)[field];
          if (definition === undefined) return true;
          const isLines = Array.isArray(value) && field === 'lines';
          return !(
            value === null ||
            isLines ||
            (definition.values && value === 'unknown') ||
            definition.accepts(value)
          );
        });
        expect(strange).toEqual([]);
      }),
    );
  });

  it('takes any residue that a client hands back', () => {
    const paths = mapping.describe().flatMap((description) => description.paths);
    const byPath = fc.dictionary(fc.constantFrom(...paths), anyJson, { maxKeys: 4 });
    const residues = fc
      .record(
        {
          fields: fc.oneof(unknownMembers, garbage(named)),
          literals: byPath,
          absent: fc.array(fc.constantFrom(...paths), { maxLength: 3 }),
          returns: fc.dictionary(fc.constantFrom(...mapping.mappedFields), anyJson, { maxKeys: 3 }),
          lines: fc.dictionary(
            fc.constantFrom(...paths),
            fc.array(fc.record({ fields: unknownMembers, literals: byPath })),
            {
              maxKeys: 2,
            },
          ),
        },
        { requiredKeys: ['fields'] },
      )
      .map((value) => residueFromJson(value as unknown as JsonObject));
    fc.assert(
      fc.property(canonicalData(entityType, mapping, inUsd), residues, (data, residue) => {
        expect(residue).toBeDefined();
        const { payload } = mapping.encode(data, { ...inUsd, ...(residue && { residue }) });
        expect(isJsonObject(payload)).toBe(true);
      }),
    );
  });
});

describe.each(
  allMappings.flatMap((one) =>
    counterpartsOf(one).map((other) => ({ name: `${one.name} and ${other.name}`, one, other })),
  ),
)('$name', ({ one, other }) => {
  it('agree on what both have', () => {
    const shared = (field: string) =>
      [one, other].every(({ mapping }) =>
        mapping.describe().some((found) => found.field === field && !isSilent(found)),
      );
    // A platform that writes defaults for nothing has shorter texts, so it is the stricter one.
    const [strict, loose] = platformOf(other.platform).blank === 'default' ? [other, one] : [one, other];
    fc.assert(
      fc.property(canonicalData(one.entityType, strict.mapping, inUsd, shared), (data) => {
        const first = one.mapping.decode(one.mapping.encode(data, inUsd).payload, inUsd);
        const second = other.mapping.decode(other.mapping.encode(first.data, inUsd).payload, inUsd);
        expect([...first.issues, ...second.issues]).toEqual([]);
        const said = (field: string) =>
          other.mapping.changesOf([field], first.data, inUsd).changes.length > 0;
        for (const field of Object.keys(data).filter(said)) {
          const [left, right] = [first.data[field] ?? null, second.data[field] ?? null];
          const same =
            sameUpToFold(strict, field, left, right, inUsd) || sameUpToFold(loose, field, left, right, inUsd);
          if (!same) expect({ [field]: right }).toEqual({ [field]: left });
        }
      }),
    );
  });
});

describe('every record of the sandbox data set', () => {
  it.each(sandboxRecords)(
    'comes back whole from $name, with unknown fields in each of its objects',
    ({ named, payload }) => {
      fc.assert(
        fc.property(unknownMembers, (unknown) => {
          const strange = objectsWith(unknown, payload);
          const { data, residue, currency, issues } = named.mapping.decode(strange, inUsd);
          expect(issues).toEqual([]);
          const back = named.mapping.encode(objectThroughText(data), {
            residue: residueThroughText(residue),
            currency,
            localCurrency: 'USD',
          });
          expect(back.issues).toEqual([]);
          expect(sortedJson(back.payload)).toBe(sortedJson(strange));
        }),
        { numRuns: 5 },
      );
    },
  );
});

/** The same value with members nobody knows in each of its objects, those of lists included. */
function objectsWith(unknown: JsonObject, value: JsonObject): JsonObject {
  const inside = (inner: JsonValue): JsonValue => {
    if (isJsonArray(inner)) return inner.map(inside);
    return isJsonObject(inner) ? objectsWith(unknown, inner) : inner;
  };
  return {
    ...unknown,
    ...Object.fromEntries(Object.entries(value).map(([member, inner]) => [member, inside(inner)])),
  };
}

function within(path: string, allowed: string): boolean {
  return path === allowed || path.startsWith(`${allowed}.`) || allowed.startsWith(`${path}.`);
}

/** A JSON object whose members are those of the mapping, holding anything at all. */
function garbage({ mapping }: NamedMapping): fc.Arbitrary<JsonObject> {
  const names = [
    'id',
    ...mapping.describe().flatMap(({ paths }) => paths.map((path) => path.split('.')[0] ?? path)),
  ];
  return fc
    .array(fc.tuple(fc.constantFrom(...names), anyJson), { maxLength: 8 })
    .map((entries): JsonObject => Object.fromEntries(entries));
}
