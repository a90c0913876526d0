import Ajv2020 from 'ajv/dist/2020';
import addFormats from 'ajv-formats';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { api } from '../../support/api';
import { startApp, type RunningApp } from '../../support/app';
import { documentFile } from '../../support/described-answers';

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly schema: { readonly type?: string };
}

interface Operation {
  readonly operationId: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: {
    readonly required?: boolean;
    readonly content: Readonly<Record<string, { readonly schema: object }>>;
  };
}

const document = JSON.parse(readFileSync(documentFile, 'utf8')) as {
  paths: Record<string, Record<string, Operation>>;
  components: object;
};
const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods));

/** What a gateway that validates requests by the description says of one; empty where it lets it through. */
class Gateway {
  private readonly ajv = addFormats(new Ajv2020({ strict: false, coerceTypes: false }));

  constructor() {
    this.ajv.addSchema({ $id: 'api', components: document.components });
  }

  problemsOf(operationId: string, query: string, body: unknown): readonly string[] {
    const operation = operations.find((one) => one.operationId === operationId);
    if (operation === undefined) return ['there is no such operation'];
    const { requestBody, parameters = [] } = operation;
    const schema = requestBody?.content['application/json']?.schema;
    const ofBody =
      body === undefined
        ? requestBody?.required === true
          ? ['a body is required']
          : []
        : schema === undefined
          ? ['there is no body']
          : this.problems(schema, body, 'body');
    const given = new URLSearchParams(query);
    const known = parameters.filter((one) => one.in === 'query');
    return [
      ...ofBody,
      ...known.flatMap(({ name, required, schema: own }) => {
        const value = given.get(name);
        if (value === null) return required ? [`${name} is required`] : [];
        const typed =
          own.type === 'integer' ? Number(value) : own.type === 'boolean' ? value === 'true' : value;
        return this.problems(own, typed, name);
      }),
      ...[...given.keys()].filter((name) => known.every((one) => one.name !== name)),
    ];
  }

  private problems(schema: object, value: unknown, name: string): readonly string[] {
    const absolute = JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"api#/')) as object;
    const validate = this.ajv.compile(absolute);
    return validate(value) ? [] : [`${name} ${this.ajv.errorsText(validate.errors)}`];
  }
}

describe('a gateway that validates requests by the API description', () => {
  const gateway = new Gateway();
  let service: RunningApp;
  let client: ReturnType<typeof api>;
  beforeAll(async () => {
    service = await startApp();
    client = api(service.url, (await service.issueKey('test')).key);
    await client.post('/connect', { platform: 'platform_a' });
  });
  afterAll(() => service.close());

  it('lets a demo session be opened and closed without a body, as the service does', async () => {
    const opened = await client.send('POST', '/demo/session');
    expect(opened.status).toBe(200);
    expect(gateway.problemsOf('openDemoSession', '', undefined)).toEqual([]);
    expect(gateway.problemsOf('openDemoSession', '', {})).toEqual([]);
    expect((await api(service.url, opened.body.data.api_key).send('DELETE', '/demo/session')).status).toBe(
      204,
    );
    expect(gateway.problemsOf('closeDemoSession', '', undefined)).toEqual([]);
  });

  const folder = join(__dirname, '../../../src/openapi/examples');
  it.each(readdirSync(folder).map((file) => file.replace('.json', '')))(
    'lets the examples of %s through that are answered with success',
    (operationId) => {
      type Example = { readonly status: number; readonly request?: unknown };
      const examples = JSON.parse(readFileSync(join(folder, `${operationId}.json`), 'utf8')) as Record<
        string,
        Example
      >;
      const sent = Object.values(examples).filter(
        ({ status, request }) => status < 300 && typeof request === 'object',
      );
      const takesBody = operations.some((one) => one.operationId === operationId && one.requestBody);
      for (const { request } of takesBody ? sent : []) {
        expect(gateway.problemsOf(operationId, '', request)).toEqual([]);
      }
    },
  );

  const payments = 'platform=platform_a&entity_type=payment';
  const times = [
    '2026-02-01',
    '1000-01-01',
    '2026-02-01T08:30Z',
    '2026-02-01T08:30:00Z',
    '2026-02-01T08:30:00.123456789Z',
    '2026-02-01T08:30:00-23:59',
    '2026-02-01T08:30+03:00',
  ];
  it.each([
    ...times.map((time) => ['listObjects', '/objects', `${payments}&modified_after=${time}`] as const),
    ...times
      .filter((time) => !time.startsWith('1000'))
      .map((time) => ['getStatement', '/reconciliation', `as_of=${time}`] as const),
    ['listObjects', '/objects', `${payments}&limit=1`],
    ['listObjects', '/objects', `${payments}&limit=500&include_deleted=true`],
    ['listObjects', '/objects', `${payments}&include_deleted=false`],
    ['listCases', '/reconciliation/cases', 'limit=500&sort=amount&age=over-90&currency=USD'],
    ['listCases', '/reconciliation/cases', 'platforms=platform_b,platform_a'],
    ['listDecisions', '/reconciliation/decisions', 'limit=1&status=standing&decision=link'],
  ] as const)('lets %s %s?%s through, which the service takes', async (operationId, path, query) => {
    const { status } = await client.get(`${path}?${query.replaceAll('+', '%2B')}`);
    // A day before all that is kept is 404, not refused for its form.
    expect([200, 404]).toContain(status);
    expect(gateway.problemsOf(operationId, query.replaceAll('+', '%2B'), undefined)).toEqual([]);
  });

  it.each([
    ['listObjects', '/objects', `${payments}&limit=0`],
    ['listObjects', '/objects', `${payments}&limit=501`],
    ['listObjects', '/objects', `${payments}&modified_after=yesterday`],
    ['listObjects', '/objects', `${payments}&modified_after=2026-02-01T08:30:00`],
    ['listObjects', '/objects', `${payments}&modified_after=3000-01-01`],
    ['listObjects', '/objects', 'platform=platform_a'],
    ['listCases', '/reconciliation/cases', 'sort=size'],
    ['listCases', '/reconciliation/cases', 'statuss=x'],
  ] as const)('refuses %s %s?%s, as the service does', async (operationId, path, query) => {
    expect((await client.get(`${path}?${query}`)).status).toBe(400);
    expect(gateway.problemsOf(operationId, query, undefined)).not.toEqual([]);
  });
});
