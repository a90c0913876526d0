import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { entityTypes, type EntityType } from '../canonical/entity-type';
import { fieldsOf } from '../canonical/types';
import { assembleObject } from '../canonical-object/assemble';
import { canonicalId } from '../identity/canonical-id';
import { isJsonObject, ownMember, type JsonObject } from '../json/json-value';
import { parseJsonText } from '../json/json-text';
import { leavesOf } from '../testing/sorted-json';
import { customerId, previewed } from '../testing/round-trip';
import type { Preview } from '../preview/preview';
import { mappingOf, type PlatformName } from './index';

/** Native IDs of the records that the fixtures are about, by the business key of each. */
const records: readonly (readonly [EntityType, string, string, string])[] = [
  ['project', 'wkh-03', '562100', '8c1f5b7e-2f0a-4e8e-9b61-6a0d3c1e7f21'],
  ['customer', 'tax:5000771203', '770301', '2b7f9d10-6a3e-4c55-8a1f-0f6be1d1c4a9'],
  ['contract', 'wkh-03-sc-004', '1960007', 'd4a0c6f2-95b7-4f0e-8d38-71c2f5a9be60'],
  ['invoice', 'gss-inv-0093', '10442', '6e3b1a84-0c7d-4b92-a5ef-3d9c8f21b7d5'],
  ['employee', 'e-2077', '99120', 'a97c2e5d-418b-4a6f-b0d3-5f8e1c7a9b42'],
];

const mappings = records.flatMap(([entityType, key, a, b]): JsonObject[] => {
  const canonical_id = canonicalId(customerId, entityType, { kind: 'key', key });
  return [
    { canonical_id, platform: 'platform_a', platform_id: a },
    { canonical_id, platform: 'platform_b', platform_id: b },
  ];
});

/** What a translation cannot know of the other platform’s record, and why. */
const exceptions: Partial<
  Record<EntityType, Partial<Record<PlatformName, Readonly<Record<string, string>>>>>
> = {
  change_order: {
    platform_a: { project_id: 'only the path of the request names the project' },
    platform_b: {
      externalDocumentNumber: 'begins with the contract’s number, which the record does not hold',
    },
  },
  employee: {
    platform_a: Object.fromEntries(
      ['name', 'business_phone', 'mobile_phone', 'address', 'city', 'state_code', 'zip', 'country_code'].map(
        (path) => [path, 'the resource of users shows it, that of people does not'],
      ),
    ),
  },
};

function fixture(entityType: EntityType, name: PlatformName | 'canonical'): JsonObject {
  const text = readFileSync(join(__dirname, '../../fixtures', entityType, `${name}.json`), 'utf8');
  const value = parseJsonText(text);
  if (!isJsonObject(value)) throw new Error(`${entityType}/${name}.json holds no object`);
  return value;
}

function translated(entityType: EntityType, source: PlatformName, target: PlatformName): Preview {
  const context = { mappings, ...(entityType === 'contract' && { commitmentType: 'WorkOrderContract' }) };
  return previewed(
    { platform: source, entityType },
    { platform: target },
    fixture(entityType, source),
    context,
  );
}

describe.each(entityTypes)('the fixtures of a %s', (entityType) => {
  const copies = (['platform_a', 'platform_b'] as const).map((platform) => {
    const payload = fixture(entityType, platform);
    const mapping = mappingOf(platform, entityType);
    const context = { inheritedCurrency: 'USD', localCurrency: 'QAR' };
    const other = platform === 'platform_a' ? 'platform_b' : 'platform_a';
    const { canonical } = translated(entityType, platform, other);
    const references = Object.entries(fieldsOf(entityType)).flatMap(
      ([field, { refersTo }]): [string, string][] => {
        const id = refersTo && ownMember(canonical, field);
        return typeof id === 'string' ? [[field, id]] : [];
      },
    );
    return {
      platform,
      platformId: mapping.decode(payload, context).nativeId ?? '',
      variant: null,
      payload,
      references: Object.fromEntries(references),
      ...context,
    };
  });

  it('are one canonical object, on which both platforms agree', () => {
    const canonical = fixture(entityType, 'canonical');
    const { object, disagreements, issues } = assembleObject({
      id: typeof canonical.id === 'string' ? canonical.id : '',
      entityType,
      copies,
      extra: {},
    });
    const { provider_metadata: residues, ...rest } = object;
    expect(rest).toEqual(canonical);
    expect(Object.keys(residues as JsonObject)).toEqual(['platform_a', 'platform_b']);
    expect(disagreements).toEqual([]);
    expect(issues).toEqual([]);
  });

  it.each([
    ['platform_a', 'platform_b'],
    ['platform_b', 'platform_a'],
  ] as const)('translate from %s into the record of %s', (source, target) => {
    const there = leavesOf(fixture(entityType, target));
    const excused = exceptions[entityType]?.[target] ?? {};
    const written = [...leavesOf(translated(entityType, source, target).payload)].filter(
      ([path]) => !Object.hasOwn(excused, path),
    );
    expect(Object.fromEntries(written)).toEqual(
      Object.fromEntries(written.map(([path]) => [path, there.get(path) ?? 'nothing'])),
    );
    expect(written.length).toBeGreaterThan(1);
  });
});
