import { fc, randomCases } from '../../../libs/mapper/src/testing/property';
import { api } from '../../support/app/api';
import { startApp, type RunningApp } from '../../support/app/app';
import { expectError } from '../../support/app/expectations';
import { contextFor, entityTypes, nativeRecords } from '../../support/records/native-records';
import { platforms } from '../../support/customers/portfolio';

jest.setTimeout(60_000);

describe('POST /transform, hostile payloads', () => {
  let app: RunningApp;
  let client: ReturnType<typeof api>;

  beforeAll(async () => {
    app = await startApp();
    client = api(app.url, (await app.openSession()).key);
  });
  afterEach(() => {
    expect(app.log.filter(({ level }) => level === 'error')).toEqual([]);
  });
  afterAll(() => app.close());

  const sendText = (
    source: string,
    target: string,
    type: string,
    data: string,
    context = '{"commitmentType":"WorkOrderContract"}',
  ) =>
    client.post(
      '/transform',
      `{"source":"${source}","target":"${target}","entity_type":"${type}","data":${data},"context":${context}}`,
    );

  const routes = platforms.flatMap((source) => platforms.map((target) => [source, target] as const));

  it.each(routes)('keeps members with odd names, from %s to %s', async (source, target) => {
    const odd =
      '{"__proto__":{"isAdmin":true},"constructor":{"prototype":{"x":1}},"toString":1,"hasOwnProperty":null,"":{"":[]},"a.b":{"c.d":1}}';
    const there = await sendText(source, target, 'payment', odd);
    expect(there.status).toBe(200);
    expect(({} as Record<string, unknown>)['isAdmin']).toBeUndefined();
    if (source === target) expect(there.text).toContain(`"data":${odd}`);
    else {
      const context = there.text.slice(there.text.indexOf('"provider_metadata":'));
      expect(context).toContain('"__proto__":{"isAdmin":true}');
      const metadata = /"provider_metadata":(\{.*?\})\},"data":/.exec(there.text)?.[1] ?? '';
      const back = await sendText(target, source, 'payment', '{}', `{"provider_metadata":${metadata}}`);
      expect(back.text).toContain(`"data":${odd}`);
    }
  });

  it('refuses a record whose answer would be longer than 1 MB', async () => {
    const linesOf = (line: string, count: number) => `{"line_items":[${Array(count).fill(line).join()}]}`;
    const send = (line: string, count: number) =>
      sendText('platform_a', 'platform_b', 'contract', linesOf(line, count));
    const line = '{"position":1,"description":"Piling","quantity":"1.0","unit_cost":"2","amount":"1.00"}';
    const large = await send(line, 2000);
    expect(large.status).toBe(200);
    expect(large.text.length).toBeLessThan(1024 ** 2);
    expectError(await send(line, 4500), 422, 'TRANSFORM_ERROR', /^data: .* longer than 1 MB$/);
    // Few characters, many bytes.
    const text = `{"name":"${'€'.repeat(340_000)}"}`;
    expectError(
      await sendText('platform_a', 'platform_a', 'customer', text),
      422,
      'TRANSFORM_ERROR',
      /longer than 1 MB/,
    );
  });

  it('refuses more lines than a list may have', async () => {
    const lines = `{"line_items":[${Array(5001).fill('{}').join()}]}`;
    const refused = await sendText('platform_a', 'platform_b', 'contract', lines);
    expectError(refused, 422, 'TRANSFORM_ERROR', /^data\.line_items: has 5001 lines, more than the 5000/);
  });

  it('takes data as deep as a body may be, and refuses one level more', async () => {
    const nested = (levels: number): string => `${'{"x":'.repeat(levels)}1${'}'.repeat(levels)}`;
    for (const [source, target] of routes) {
      expect((await sendText(source, target, 'payment', nested(99))).status).toBe(200);
      expectError(await sendText(source, target, 'payment', nested(100)), 400, 'VALIDATION_ERROR', /100/);
    }
    const lists = `{"x":${'['.repeat(98)}${']'.repeat(98)}}`;
    expect((await sendText('platform_a', 'platform_b', 'contract', lists)).status).toBe(200);
  });

  it.each(entityTypes)('finds anything in any place of a %s', async (type) => {
    const anything = ['[]', 'null', '"x"', '5', 'true', '{"id":[]}', '1e400', '{}', '[{"amount":[]}]'];
    let next = 0;
    for (const source of platforms) {
      for (const member of Object.keys(nativeRecords[type][source])) {
        const wrong = anything[(next += 1) % anything.length] ?? '';
        const payload = JSON.stringify({ ...nativeRecords[type][source], [member]: '@' }).replace(
          '"@"',
          wrong,
        );
        const { status, body } = await sendText(source, 'platform_a', type, payload);
        expect([200, 422]).toContain(status);
        if (status === 422) expect(body.error.message).toContain(`data.${member}`);
      }
      const all = JSON.stringify(
        Object.fromEntries(Object.keys(nativeRecords[type][source]).map((member) => [member, {}])),
      );
      expect([200, 422]).toContain((await sendText(source, 'platform_b', type, all)).status);
    }
  });

  it('finds any JSON at all', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...entityTypes),
        fc.constantFrom(...routes),
        fc.dictionary(
          fc.constantFrom('id', 'amount', 'status', 'currencyCode', 'line_items', 'summary', 'project', 'x'),
          fc.jsonValue(),
        ),
        fc.dictionary(
          fc.constantFrom(
            'commitmentType',
            'currency',
            'targetCurrency',
            'exchangeRate',
            'mappings',
            'provider_metadata',
          ),
          fc.jsonValue(),
        ),
        async (entity_type, [source, target], data, context) => {
          const { status, body } = await client.post('/transform', {
            source,
            target,
            entity_type,
            data,
            context,
          });
          expect([200, 422]).toContain(status);
          if (status === 422) expect(body.error.message).toMatch(/^(data|context)\b/);
        },
      ),
      { numRuns: randomCases(40) },
    );
  });

  it('finds hostile provider_metadata', async () => {
    for (const rest of [
      '{"fields":{"__proto__":{"x":1}},"literals":{"__proto__":"x"},"absent":["__proto__"],"lines":{"__proto__":[{}]}}',
      '{"fields":{"amount":{"deep":[]}},"literals":{"amount":{"x":1}}}',
      '{"fields":{},"lines":{"line_items":[{"fields":{"id":1e400}}]}}',
      '{"fields":{},"returns":{"amount":5,"__proto__":1}}',
    ]) {
      for (const [source, target] of routes) {
        const context = `{"commitmentType":"WorkOrderContract","provider_metadata":{"platform_a":${rest},"platform_b":${rest}}}`;
        const { status } = await sendText(source, target, 'contract', '{"number":"C-1"}', context);
        expect([200, 422]).toContain(status);
      }
    }
  });

  it.each([
    ['NUL', '{"notes":"a\\u0000b"}'],
    ['half of a surrogate pair', '{"notes":"\\ud800"}'],
  ])('translates text with %s, of which nothing is stored', async (_, data) => {
    const { status, text } = await sendText('platform_a', 'platform_a', 'payment', data);
    expect(status).toBe(200);
    expect(text).toContain(`"data":${data}`);
  });

  it.each(['9007199254740993', '12345678901234567890', '1.5', '1e400', 'true', '{}', '-1.5'])(
    'refuses the native ID %s',
    async (id) => {
      for (const [type, data, path] of [
        ['payment', `{"id":${id}}`, 'data.id'],
        ['payment', `{"requisition_id":${id}}`, 'data.requisition_id'],
        ['contract', `{"project":{"id":${id}}}`, 'data.project.id'],
        ['contract', `{"vendor":{"id":${id}}}`, 'data.vendor.id'],
        ['time_entry', `{"party":{"id":${id}}}`, 'data.party.id'],
      ] as const) {
        const answer = await sendText('platform_a', 'platform_b', type, data);
        expectError(answer, 422, 'TRANSFORM_ERROR');
        expect(answer.body.error.message).toContain(path);
      }
    },
  );

  it('takes native IDs up to 2^53-1, and any as text', async () => {
    for (const [id, text] of [
      ['9007199254740991', '9007199254740991'],
      ['"9007199254740993"', '9007199254740993'],
      ['"0f3b-uuid"', '0f3b-uuid'],
    ] as const) {
      const { status, body } = await sendText('platform_a', 'platform_b', 'payment', `{"id":${id}}`);
      expect(status).toBe(200);
      expect(body.canonical.external_ids).toEqual({ platform_a: text });
    }
  });

  it('keeps unmapped numbers to the digit, there and back', async () => {
    const data = '{"x":12345678901234567890.123456789,"y":[1e400,0.30000000000000004,-0.0]}';
    const there = await sendText('platform_a', 'platform_b', 'payment', data);
    const metadata = /"provider_metadata":(\{.*?\}\})\},"data":/.exec(there.text)?.[1] ?? '';
    const back = await sendText(
      'platform_b',
      'platform_a',
      'payment',
      '{}',
      `{"provider_metadata":${metadata}}`,
    );
    expect(back.text).toContain('12345678901234567890.123456789');
    expect(back.text).toContain('1e400');
    expect(back.text).toContain('0.30000000000000004');
  });

  it('does the same twice', async () => {
    for (const type of entityTypes) {
      const body = {
        source: 'platform_a',
        target: 'platform_b',
        entity_type: type,
        data: nativeRecords[type].platform_a,
        context: contextFor('platform_a', type),
      };
      const [one, other] = [await client.post('/transform', body), await client.post('/transform', body)];
      expect(other.body.canonical).toEqual(one.body.canonical);
      expect(other.body.data).toEqual(one.body.data);
      expect(other.body.metadata.request_id).not.toBe(one.body.metadata.request_id);
    }
  });
});
