import type { JsonObject } from '../json/json-value';
import { MOST_ISSUES } from '../mapping/issues';
import { MappingError } from '../mapping/mapping-error';
import { anyJson, unknownMembers } from '../testing/json.arbitrary';
import { fc } from '../testing/property';
import { readMapperContext } from './preview-context';

function problemsOf(context: JsonObject): readonly string[] {
  try {
    readMapperContext(context);
    return [];
  } catch (error) {
    if (!(error instanceof MappingError)) throw error;
    return error.issues.map(({ path, problem }) => `${path}: ${problem}`);
  }
}

describe('the context of a request', () => {
  it('may say nothing, or what the mapper does not know', () => {
    const nothing = { mappings: [], residues: {} };
    expect(readMapperContext({})).toEqual(nothing);
    expect(readMapperContext({ color: 'red', currency: null, mappings: null, exchangeRate: null })).toEqual(
      nothing,
    );
    expect(readMapperContext({ commitmentType: null, provider_metadata: null, report: null })).toEqual(
      nothing,
    );
  });

  it.each([5, 'Contract', '', ['WorkOrderContract']])(
    'refuses a variant that no platform has: %j',
    (commitmentType) => {
      expect(() => readMapperContext({ commitmentType })).toThrow(
        'context.commitmentType: expected one of WorkOrderContract, PurchaseOrderContract',
      );
    },
  );

  it('takes every known member', () => {
    expect(
      readMapperContext({
        commitmentType: 'WorkOrderContract',
        currency: 'USD',
        targetCurrency: 'QAR',
        exchangeRate: { from: 'USD', to: 'QAR', rate: '3.64', note: 'x' },
        mappings: [
          { canonical_id: 'pay_1', platform: 'platform_a', platform_id: '7', more: 1 },
          {
            canonical_id: 'pay_1',
            platform: 'platform_b',
            platform_id: 'A34E74DB-53C7-4368-8FE7-BB87C83C7902',
          },
        ],
        provider_metadata: { platform_a: { fields: { a: 1 } }, platform_c: 'anything' },
        report: false,
      }),
    ).toEqual({
      variant: 'WorkOrderContract',
      currency: 'USD',
      targetCurrency: 'QAR',
      exchangeRate: { from: 'USD', to: 'QAR', rate: '3.64' },
      mappings: [
        { canonicalId: 'pay_1', platform: 'platform_a', platformId: '7' },
        // A GUID means the same in upper case, and records are known by the lower case.
        { canonicalId: 'pay_1', platform: 'platform_b', platformId: 'a34e74db-53c7-4368-8fe7-bb87c83c7902' },
      ],
      residues: { platform_a: { fields: { a: 1 } } },
      report: false,
    });
    expect(readMapperContext({ report: true })).toMatchObject({ report: true });
  });

  it.each<[JsonObject, string]>([
    [{ currency: 'usd' }, 'context.currency: expected an ISO 4217 currency code'],
    [{ currency: 5 }, 'context.currency: expected an ISO 4217 currency code'],
    [{ targetCurrency: 'EURO' }, 'context.targetCurrency: expected an ISO 4217 currency code'],
    [{ exchangeRate: '3.64' }, 'context.exchangeRate: expected an object with from, to and rate'],
    [
      { exchangeRate: { from: 'USD', to: 'QAR', rate: 3.64 } },
      'context.exchangeRate.rate: expected a positive decimal number as text, such as "3.64"',
    ],
    [{ exchangeRate: { to: 'QAR', rate: '1' } }, 'context.exchangeRate.from: expected an ISO 4217 currency'],
    [
      { exchangeRate: { from: 'USD', to: 'USD', rate: '1' } },
      'context.exchangeRate.to: expected another currency than `from`',
    ],
    [{ mappings: {} }, 'context.mappings: expected a list of { canonical_id, platform, platform_id }'],
    [
      { mappings: ['x'] },
      'context.mappings[0]: expected an object with canonical_id, platform and platform_id',
    ],
    [
      { mappings: [{ canonical_id: 'a', platform: 'platform_c', platform_id: '1' }] },
      'context.mappings[0].platform: expected the name of a platform',
    ],
    [
      { mappings: [{ canonical_id: 'a', platform: 'platform_a', platform_id: 1 }] },
      'context.mappings[0].platform_id: expected text',
    ],
    [
      { mappings: [{ canonical_id: 5, platform: 'platform_a', platform_id: '1' }] },
      'context.mappings[0].canonical_id: expected text',
    ],
    [
      { mappings: [{ canonical_id: 'a', platform: 5, platform_id: '1' }] },
      'context.mappings[0].platform: expected text',
    ],
    [{ report: 'yes' }, 'context.report: expected true or false'],
    [
      { provider_metadata: [] },
      'context.provider_metadata: expected an object with a member for each platform',
    ],
    [
      { provider_metadata: { platform_b: { fields: [] } } },
      'context.provider_metadata.platform_b: expected what an earlier answer held there',
    ],
  ])('%j is refused by name', (context, problem) => {
    expect(problemsOf(context)).toEqual([problem]);
  });

  it('names everything that is wrong at once', () => {
    expect(problemsOf({ currency: 'x', targetCurrency: 'y', mappings: [{}], provider_metadata: 1 })).toEqual([
      'context.currency: expected an ISO 4217 currency code',
      'context.targetCurrency: expected an ISO 4217 currency code',
      'context.mappings[0].canonical_id: expected text',
      'context.mappings[0].platform: expected text',
      'context.mappings[0].platform_id: expected text',
      'context.provider_metadata: expected an object with a member for each platform',
    ]);
  });

  it('names no more problems of mappings than an answer has room for', () => {
    expect(problemsOf({ mappings: Array.from({ length: MOST_ISSUES + 10 }, () => 'x') })).toHaveLength(
      MOST_ISSUES,
    );
  });

  it('takes or refuses any JSON, and does nothing else', () => {
    const known = [
      'commitmentType',
      'currency',
      'targetCurrency',
      'exchangeRate',
      'mappings',
      'provider_metadata',
    ];
    const contexts = fc
      .tuple(unknownMembers, fc.dictionary(fc.constantFrom(...known), anyJson))
      .map(([unknown, members]): JsonObject => ({ ...unknown, ...members }));
    fc.assert(
      fc.property(contexts, (context) => {
        for (const problem of problemsOf(context)) expect(problem).toMatch(/^context\./);
      }),
    );
  });
});
