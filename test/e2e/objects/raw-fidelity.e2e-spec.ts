import { isJsonObject, parseJsonText, type JsonObject } from '@app/mapper';
import { anyJson, unknownMembers } from '../../../libs/mapper/src/testing/json.arbitrary';
import { fc, randomCases } from '../../../libs/mapper/src/testing/property';
import { sortedJson } from '../../../libs/mapper/src/testing/sorted-json';
import { api } from '../../support/app/api';
import { startApp, type RunningApp } from '../../support/app/app';
import { GivenRecords, record } from '../../support/platforms/given-records';
import { connect } from '../../support/customers/listings';

describe('the payload of a listed record', () => {
  const sources = new GivenRecords();
  let service: RunningApp;
  beforeAll(async () => {
    service = await startApp({ logLevel: 'silent' }, [], sources);
  });
  afterAll(() => service.close());

  /** What comes back as `platform_data` of payments, by their IDs, numbers exact. */
  async function throughTheService(
    payloads: readonly JsonObject[],
  ): Promise<ReadonlyMap<string, JsonObject>> {
    const { key, customerId } = await service.openSession();
    const client = api(service.url, key);
    sources.give(
      customerId,
      'platform_a',
      payloads.map((payload) => record('payment', payload)),
    );
    await connect(client, 'platform_a');
    const { text } = await client.get('/objects?platform=platform_a&entity_type=payment');
    const answer = object(parseJsonText(text));
    return new Map(
      Object.values(answer.data ?? []).map((one) => {
        const { id, platform_data } = object(one);
        if (typeof id !== 'string') throw new Error('an ID must be text');
        return [id, object(platform_data)];
      }),
    );
  }

  it.each([
    [
      'whole numbers that no double holds',
      '{"id":1,"x":9007199254740993,"y":123456789012345678901234567890}',
    ],
    ['decimals that no double holds', '{"id":1,"x":0.10000000000000000001,"y":12345678901234567.89}'],
    ['exponents', '{"id":1,"x":1e400,"y":-2E-400,"z":1.5e3}'],
    [
      'members of prototypes',
      '{"id":1,"__proto__":{"x":1},"constructor":{"prototype":{"y":2}},"toString":null}',
    ],
    ['odd member names', '{"id":1,"":0," ":1,"a.b":2,"data":{"data":{}},"\\u0000":3,"\\ud83d\\ude00":4}'],
    ['NUL in text', '{"id":1,"notes":"a\\u0000b","x":{"\\u0000":"\\u0000"}}'],
    ['halves of surrogate pairs', '{"id":1,"x":"\\ud800","y":"\\udc00\\ud800"}'],
    [
      'what COPY would read as something else',
      '{"id":1,"x":"\\\\N","y":"\\\\.","z":"a\\tb\\nc\\rd\\\\","w":"\\\\u0041"}',
    ],
    ['line separators and the like', '{"id":1,"x":"\\u2028\\u2029\\u0085\\ufeff\\u0007"}'],
    ['scripts and combined characters', '{"id":1,"x":"شركاء الدوحة","y":"e\\u0301 é","z":"👩‍👩‍👧 𝔘"}'],
    [
      'nothing in many forms',
      '{"id":1,"a":null,"b":"","c":[],"d":{},"e":[null],"f":[[]],"g":0,"h":-0,"i":false}',
    ],
    ['depth', `{"id":1,"x":${'['.repeat(90)}${']'.repeat(90)}}`],
  ])('comes back with %s', async (_, text) => {
    const payload = object(parseJsonText(text));
    expect(sortedJson((await throughTheService([payload])).get('1'))).toBe(sortedJson(payload));
  });

  it('comes back with the very tokens of exact numbers', async () => {
    const { key, customerId } = await service.openSession();
    const client = api(service.url, key);
    const payload = object(
      parseJsonText('{"id":1,"x":9007199254740993,"y":[1.000000000000000000001],"z":1e400}'),
    );
    sources.give(customerId, 'platform_a', [record('payment', payload)]);
    await connect(client, 'platform_a');
    const { text } = await client.get('/objects?platform=platform_a&entity_type=payment');
    expect(text).toContain(
      '"platform_data":{"id":1,"x":9007199254740993,"y":[1.000000000000000000001],"z":1e400}',
    );
  });

  it('comes back whole, whatever it holds', async () => {
    const known = fc.constantFrom(
      'amount',
      'status',
      'check_number',
      'invoice_number',
      'requisition_id',
      'date',
      'notes',
    );
    const payload = fc
      .tuple(unknownMembers, fc.dictionary(known, anyJson, { maxKeys: 4 }))
      .map(([unknown, natives]): JsonObject => ({ ...unknown, ...natives }));
    await fc.assert(
      fc.asyncProperty(fc.array(payload, { minLength: 5, maxLength: 15 }), async (payloads) => {
        const records = payloads.map((one, index): JsonObject => ({ ...one, id: index + 1 }));
        const back = await throughTheService(records);
        for (const [index, one] of records.entries()) {
          expect(sortedJson(back.get(String(index + 1)))).toBe(sortedJson(one));
        }
      }),
      { numRuns: randomCases(5) },
    );
  });
});

function object(value: unknown): JsonObject {
  if (!isJsonObject(value)) throw new Error('expected a JSON object');
  return value;
}
