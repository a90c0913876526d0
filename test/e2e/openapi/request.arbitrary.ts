import { readFileSync } from 'node:fs';
import { fc } from '../../../libs/mapper/src/testing/property';
import { api } from '../../support/app/api';
import { documentFile } from '../../support/description/api-description';
import { anyJson, arbitraryOf, damaged, hostileText, type JsonSchema } from './schema.arbitrary';

/** A request that the description makes likely, or one that nobody expects. */
export interface Sent {
  readonly method: string;
  readonly path: string;
  readonly headers?: Record<string, string>;
  /** JSON, or text that is sent as it is. */
  readonly body?: unknown;
}

const { components } = JSON.parse(readFileSync(documentFile, 'utf8')) as {
  components: { schemas: Record<string, JsonSchema> };
};
const named = components.schemas;
const of = (name: string) => arbitraryOf({ $ref: `#/components/schemas/${name}` }, named);
/** A few fields of a named schema, as a change or a partial record has them. */
const fewOf = (name: string) => arbitraryOf({ ...named[name], required: [] }, named);

/** The stored types, with the names of their schemas. */
export const canonicalNames = {
  project: 'Project',
  customer: 'Customer',
  contract: 'Contract',
  invoice: 'Invoice',
  payment: 'Payment',
};
const payloadNames = Object.keys(named).filter((name) => /^Platform[AB][A-Z]/.test(name));

/** A record that is there. */
export interface Known {
  readonly id: string;
  readonly canonical_id: string;
  readonly platform: string;
  readonly entity_type: keyof typeof canonicalNames;
}

/** Members of every object, which nobody may write. */
const common = ['id', 'object', 'external_ids', 'provider_metadata'];

/** Changes of records that are there, with fields that they have. */
function changes(records: readonly Known[]): fc.Arbitrary<object> {
  return fc.constantFrom(...records).chain(({ id, canonical_id, platform, entity_type }) => {
    const letter = platform === 'platform_a' ? 'A' : 'B';
    const payload = payloadNames.find(
      (name) => name.startsWith(`Platform${letter}`) && name.endsWith(canonicalNames[entity_type]),
    );
    const writable = fewOf(canonicalNames[entity_type]).map((data) =>
      Object.fromEntries(Object.entries(data as object).filter(([name]) => !common.includes(name))),
    );
    return fc.oneof(
      writable.map((data) => ({ format: 'canonical', canonical_id, entity_type, data })),
      fewOf(payload ?? 'PlatformPayload').map((data) => ({
        format: 'platform',
        platform,
        platform_id: id,
        entity_type,
        data,
      })),
    );
  });
}

/** Requests from the description, nearly so, and hostile ones, over the routes with bodies and some without. */
export function requests(records: readonly Known[]): fc.Arbitrary<Sent> {
  const bodies: [number, string, fc.Arbitrary<unknown>][] = [
    [8, '/transform', of('TransformDto')],
    [6, '/propagate', changes(records)],
    [3, '/propagate', fc.oneof(of('CanonicalChange'), of('PlatformChange'))],
    [1, '/connect', of('ConnectDto')],
    [1, '/demo/session', arbitraryOf({ type: 'object' }, named)],
  ];
  const valid = fc.oneof(
    ...bodies.map(([weight, path, body]) => ({
      weight,
      arbitrary: body.map((value): Sent => ({ method: 'POST', path, body: value })),
    })),
    {
      weight: 2,
      arbitrary: fc.constantFrom(...records).map(({ platform, entity_type }): Sent => ({
        method: 'GET',
        path: `/objects?platform=${platform}&entity_type=${entity_type}`,
      })),
    },
    {
      weight: 1,
      arbitrary: fc.constantFrom('/health', '/connections').map((path): Sent => ({ method: 'GET', path })),
    },
  );
  const nearly = valid.chain((sent) =>
    damaged(sent.body ?? {}).map((body): Sent => ({ ...sent, method: 'POST', body })),
  );
  const path = fc.constantFrom(
    '/transform',
    '/propagate',
    '/connect',
    '/demo/session',
    '/objects',
    '/connections',
    '/propagations/8a9e7c0e-0a35-4d8c-9a0e-3f1c7c9a1b11',
    '/propagations/no-such-change',
    '/health',
  );
  const text = fc.oneof(
    anyJson.map((value) => JSON.stringify(value)),
    of('TransformDto').chain((value) => {
      const whole = JSON.stringify(value);
      return fc.nat(whole.length).map((end) => whole.slice(0, end));
    }),
    hostileText,
    fc.integer({ min: 90, max: 3000 }).map((levels) => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`),
    fc.constantFrom(
      '{"data":1e999999}',
      '{"source":"platform_a","source":{}}',
      '{"__proto__":{"source":1}}',
      '\ufeff{}',
    ),
  );
  const header = fc.oneof(
    fc.constantFrom<Record<string, string>>(
      { 'Content-Type': 'text/plain' },
      { 'Content-Type': 'application/json; charset=latin1' },
      { 'Content-Encoding': 'gzip' },
      { 'Content-Encoding': 'zstd' },
      { Authorization: 'Bearer sk_live_' },
      { Authorization: 'Basic eDp5' },
      { 'X-Request-ID': 'req_short' },
      { 'X-Request-ID': 'x'.repeat(3000) },
      { Accept: 'text/html' },
    ),
    fc.constant<Record<string, string>>({}),
  );
  const query = fc
    .array(fc.tuple(fc.constantFrom('platform', 'entity_type', 'a[b]', '__proto__'), hostileText), {
      maxLength: 4,
    })
    .map((pairs) =>
      pairs.map(([name, value]) => `${name}=${encodeURIComponent(Buffer.from(value).toString())}`).join('&'),
    );
  const hostile = fc.oneof(
    fc.record({
      method: fc.constantFrom('POST', 'DELETE', 'PUT', 'PATCH'),
      path,
      body: text,
      headers: header,
    }),
    fc.tuple(path, query).map(([where, what]): Sent => ({ method: 'GET', path: `${where}?${what}` })),
  );
  return fc.oneof(
    { weight: 4, arbitrary: valid },
    { weight: 4, arbitrary: nearly },
    { weight: 3, arbitrary: hostile },
  );
}

/** Connects both sandboxes of a customer. @returns the records that this brings */
export async function connectedRecords(client: ReturnType<typeof api>): Promise<readonly Known[]> {
  const records: Known[] = [];
  const platforms = ['platform_a', 'platform_b'];
  for (const platform of platforms) await client.post('/connect', { platform });
  for (const platform of platforms) {
    for (const type of Object.keys(canonicalNames))
      records.push(...(await client.get(`/objects?platform=${platform}&entity_type=${type}`)).body.data);
  }
  return records;
}
