// Generated records go from each platform to the canonical form and back, and by way of the other platform: they come back whole.
import { isDeepStrictEqual } from 'node:util';
import { fieldsOf, ownMember, type JsonObject, type JsonValue } from '@app/mapper';
import { allMappings, counterpartsOf, type NamedMapping } from '../../libs/mapper/src/testing/all-mappings';
import { inUsd } from '../../libs/mapper/src/testing/canonical.arbitrary';
import { payloadOf } from '../../libs/mapper/src/testing/payload.arbitrary';
import { fc } from '../../libs/mapper/src/testing/property';
import { roundTrip, rowsFor, type RoundTrip } from '../../libs/mapper/src/testing/round-trip';
import { sortedJson } from '../../libs/mapper/src/testing/sorted-json';
import { campaign, type Campaign, type CampaignTime } from '../support/campaign';

/** Records of one mapping that are tried with one seed. */
const AT_ONCE = 500;

const letters = { platform_a: 'A', platform_b: 'B' } as const;

interface Journey {
  readonly name: string;
  readonly payloads: fc.Arbitrary<JsonObject>;
  readonly travel: (payload: JsonObject, knowsRows: boolean) => JsonValue;
}

const letterOf = ({ platform }: NamedMapping): string => letters[platform];

/** To the canonical form and back, also of records that cannot be read whole. */
const direct = allMappings.map((one): Journey => ({
  name: `${letterOf(one)}-C-${letterOf(one)}`,
  payloads: payloadOf(one, { portable: false, currencies: ['USD', 'QAR', 'JPY', 'KWD', 'CLF'] }),
  travel: (payload) => {
    const { data, rest, currency } = one.mapping.decode(payload, inUsd);
    return one.mapping.encode(data, { rest, currency, localCurrency: 'USD' }).payload;
  },
}));

/** By way of the other platform. What its record does not show of a field, the report of the way there has named. */
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
 * Canonical fields that the other platform's record does not say, or says otherwise, although the report calls them mapped.
 * References are of another form on each platform; that they come back is seen at the end of the way.
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
});
