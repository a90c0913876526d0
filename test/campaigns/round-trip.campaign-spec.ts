// Generated records go from each platform to the canonical form and back, and by way of the other platform: they come back whole.
import { isDeepStrictEqual } from 'node:util';
import { fieldsOf, isJsonArray, isJsonObject, ownMember, type JsonObject, type JsonValue } from '@app/mapper';
import { allMappings, counterpartsOf, type NamedMapping } from '../../libs/mapper/src/testing/all-mappings';
import { inUsd } from '../../libs/mapper/src/testing/canonical.arbitrary';
import { payloadOf } from '../../libs/mapper/src/testing/payload.arbitrary';
import { fc } from '../../libs/mapper/src/testing/property';
import { roundTrip, rowsFor, type RoundTrip } from '../../libs/mapper/src/testing/round-trip';
import { sortedJson } from '../../libs/mapper/src/testing/sorted-json';
import { campaign, type Campaign, type CampaignTime } from '../support/campaign/campaign';

/** The number of records of one mapping that are tested with one seed. */
const AT_ONCE = 500;

const letters = { platform_a: 'A', platform_b: 'B' } as const;

interface Journey {
  readonly name: string;
  readonly payloads: fc.Arbitrary<JsonObject>;
  readonly travel: (payload: JsonObject, knowsRows: boolean) => JsonValue;
}

const letterOf = ({ platform }: NamedMapping): string => letters[platform];

/** To the canonical form and back, including records that are partly unreadable. */
const direct = allMappings.map((one): Journey => ({
  name: `${letterOf(one)}-C-${letterOf(one)}`,
  payloads: payloadOf(one, { portable: false, currencies: ['USD', 'QAR', 'JPY', 'KWD', 'CLF'] }),
  travel: (payload) => {
    const { data, residue, currency } = one.mapping.decode(payload, inUsd);
    return one.mapping.encode(data, { residue, currency, localCurrency: 'USD' }).payload;
  },
}));

/**
 * Through the other platform and back. The report of the first translation must name every field that the other record
 * does not show.
 */
const across = allMappings.flatMap((one) =>
  counterpartsOf(one).map((other): Journey => ({
    name: `${letterOf(one)}-C-${letterOf(other)}-C-${letterOf(one)}`,
    payloads: fc.oneof(
      payloadOf(one, { portable: true }),
      payloadOf(one, { portable: true, currencies: ['QAR', 'KWD', 'CLF'] }),
      payloadOf(one, { portable: true, currencies: ['JPY'], wholeAmounts: true }),
    ),
    travel: (payload, knowsRows) => {
      const mappings: JsonObject = knowsRows ? { mappings: rowsFor(one, other, payload) } : {};
      const journey = roundTrip(one, other, payload, {
        there: { report: true, ...mappings },
        back: mappings,
      });
      expect(unnamedLosses(one, other, journey)).toEqual([]);
      return journey.back.payload;
    },
  })),
);

/**
 * Canonical fields that the other platform's record lacks or changes although the report calls them mapped. References
 * have another form on each platform, so they are compared only after the way back.
 */
function unnamedLosses(one: NamedMapping, other: NamedMapping, { there }: RoundTrip): readonly string[] {
  const shown = other.mapping.decode(there.payload, inUsd).data;
  const mapped = new Set(
    (there.report?.source ?? [])
      .filter(({ outcome }) => outcome === 'mapped')
      .flatMap(({ fields = [] }) => fields),
  );
  return Object.entries(fieldsOf(one.entityType)).flatMap(([field, { refersTo }]) => {
    if (refersTo !== undefined || !mapped.has(field)) return [];
    const said = ownMember(shown, field) ?? null;
    return isDeepStrictEqual(said, ownMember(there.canonical, field) ?? null) ? [] : [field];
  });
}

interface LinesJourney {
  readonly name: string;
  readonly one: NamedMapping;
  readonly other: NamedMapping;
}

/** Between resources that have lines on both platforms. */
const withLines = allMappings.flatMap((one) =>
  counterpartsOf(one)
    .filter((other) => [one, other].every(({ mapping }) => mapping.pathsOf('lines').length > 0))
    .map((other): LinesJourney => ({ name: `lines ${letterOf(one)}-${letterOf(other)}`, one, other })),
);

/** Edits of lines by a person: remove one, duplicate one, move one, replace a text. */
const edits = fc.array(
  fc.tuple(fc.constantFrom('remove', 'add', 'move', 'rename'), fc.nat({ max: 60 }), fc.nat({ max: 60 })),
  { minLength: 1, maxLength: 3 },
);

function editedLines(
  lines: readonly JsonValue[],
  [act, from, to]: readonly [string, number, number],
): readonly JsonValue[] {
  const index = lines.length === 0 ? 0 : from % lines.length;
  const line = lines[index];
  const others = lines.filter((_, place) => place !== index);
  if (line === undefined || !isJsonObject(line)) return lines;
  if (act === 'remove') return others;
  if (act === 'add') return [...lines, line];
  if (act === 'move') return others.toSpliced(to % lines.length, 0, line);
  return lines.with(index, { ...line, description: `renamed ${to}` });
}

/** The content of each line of a record without its ID, and the residue of the record. */
function linesOf({ mapping }: NamedMapping, record: JsonObject) {
  const { data, residue } = mapping.decode(record, inUsd);
  const lines = ownMember(data, 'lines');
  const residues = residue.lines?.[mapping.pathOf('lines') ?? ''] ?? [];
  return (isJsonArray(lines) ? lines.filter(isJsonObject) : []).map(({ id: _, ...said }, index) => ({
    said: sortedJson(said),
    beside: sortedJson(residues[index]?.fields ?? {}),
  }));
}

function travelWithLines(campaign: Campaign, time: CampaignTime): void {
  for (const seed of time.seeds()) {
    for (const { name, one, other } of withLines) {
      const path = other.mapping.pathOf('lines') ?? '';
      fc.assert(
        fc.property(payloadOf(one, { portable: true }), edits, (payload, acts) => {
          let changed: JsonObject = {};
          const { there, back } = roundTrip(one, other, payload, {}, (record) => {
            const lines = ownMember(record, path);
            changed = isJsonArray(lines) ? { ...record, [path]: acts.reduce(editedLines, lines) } : record;
            return changed;
          });
          // Unchanged lines keep their spelling.
          fc.pre(sortedJson(changed) !== sortedJson(there.payload));
          campaign.count(name);
          const arrived = linesOf(one, back.payload);
          // The other platform shows codes in its own spelling: in another case, and blank ones not at all.
          const asWritten = (from: NamedMapping, record: JsonObject): string => {
            const { lines: told = [] } = from.mapping.decode(record, inUsd).data;
            const shown = other.mapping.encode({ lines: told }, inUsd).payload;
            const { lines = [] } = other.mapping.decode(shown, inUsd).data;
            return sortedJson(one.mapping.encode({ lines }, inUsd).payload);
          };
          expect(asWritten(one, back.payload)).toBe(asWritten(other, changed));
          const before = linesOf(one, payload);
          for (const { said, beside } of arrived) {
            const isOwn = before.some((line) => line.said === said && line.beside === beside);
            expect({ said, beside, isOwn: beside === '{}' || isOwn }).toEqual({ said, beside, isOwn: true });
          }
        }),
        { seed, numRuns: AT_ONCE },
      );
    }
  }
}

function travelAll(campaign: Campaign, time: CampaignTime, journeys: readonly Journey[]): void {
  for (const seed of time.seeds()) {
    for (const { name, payloads, travel } of journeys) {
      fc.assert(
        fc.property(payloads, fc.boolean(), (payload, knowsRows) => {
          campaign.count(name);
          expect(sortedJson(travel(payload, knowsRows))).toBe(sortedJson(payload));
        }),
        { seed, numRuns: AT_ONCE },
      );
    }
  }
}

campaign('round-trip', (campaign) => {
  campaign.part('come back whole from the canonical form', (time) => travelAll(campaign, time, direct));
  campaign.part('come back whole from the other platform', (time) => travelAll(campaign, time, across));
  campaign.part('keep what is theirs where their lines change on the way', (time) =>
    travelWithLines(campaign, time),
  );
});
