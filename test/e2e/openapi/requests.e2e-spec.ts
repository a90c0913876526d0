import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { committedDocument } from '../../support/description/api-description';
import { api } from '../../support/app/api';
import { startApp, type RunningApp } from '../../support/app/app';
import { describedBy } from '../../support/description/described-calls';
import { RequestChecker } from '../../support/description/described-requests';

interface Operation {
  readonly operationId: string;
  readonly requestBody?: object;
}

type ApiDocument = ConstructorParameters<typeof RequestChecker>[0] & {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
};

// The committed description; what it lacks fails where it is looked for.
const document = committedDocument() as ApiDocument;
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, { operationId, requestBody }]) => ({
    operationId,
    method,
    path,
    takesBody: requestBody !== undefined,
  })),
);

/** What a gateway that validates requests by the description says of one; empty where it lets it through. */
class Gateway {
  private readonly checker = new RequestChecker(document);

  problemsOf(operationId: string, query: string, body: unknown): readonly string[] {
    const operation = operations.find((one) => one.operationId === operationId);
    if (operation === undefined) return ['there is no such operation'];
    return this.checker.problemsOf({
      method: operation.method,
      path: `${operation.path.replace(/\{\w+\}/g, '5b0a2c1e-8f4d-4c59-9a53-0c1d6b7e2f10')}?${query}`,
      headers: new Headers({ 'content-type': 'application/json' }),
      body: body === undefined ? undefined : JSON.stringify(body),
    });
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

  const folder = join(__dirname, '../../../src/common/openapi/examples');
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
      const takesBody = operations.some((one) => one.operationId === operationId && one.takesBody);
      for (const { request } of takesBody ? sent : []) {
        // Examples have no paths.
        const problems = gateway.problemsOf(operationId, '', request);
        expect(problems.filter((problem) => !problem.startsWith('path '))).toEqual([]);
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
    ['listSignoffs', '/reconciliation/signoffs', 'limit=1&state=standing&role=reviewed'],
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

describe('the client of the tests', () => {
  let service: RunningApp;
  let client: ReturnType<typeof api>;
  beforeAll(async () => {
    service = await startApp();
    client = api(service.url, (await service.issueKey('test')).key);
    await client.post('/connect', { platform: 'platform_a' });
  });
  afterEach(() => describedBy(committedDocument()));
  afterAll(() => service.close());

  /** The description with another word for one, wherever that stands in an operation. */
  const without = (word: string, path: string) => {
    const { paths } = document;
    const changed: unknown = JSON.parse(JSON.stringify(paths[path]).replaceAll(`"${word}"`, '"otherwise"'));
    describedBy({ ...document, paths: { ...paths, [path]: changed } });
  };
  const payments = '/objects?platform=platform_a&entity_type=payment&limit=1';

  it.each([
    ['a name', 'limit', 'the query parameter limit is not described'],
    ['a value', 'payment', 'query entity_type data must be equal to one of the allowed values'],
  ])(
    'refuses a query that the service takes, where the description has not %s',
    async (_what, word, problem) => {
      expect((await client.get(payments)).status).toBe(200);
      without(word, '/api/v1/objects');
      await expect(client.get(payments)).rejects.toThrow(problem);
    },
  );

  it('refuses a body that the service takes and the description does not', async () => {
    describedBy({ ...document, components: narrowed });
    await expect(client.post('/connect', { platform: 'platform_a' })).rejects.toThrow(
      'the body data/platform must be equal to one of the allowed values',
    );
    // What the service refuses may be anything.
    expect((await client.post('/connect', { platform: 'platform_x' })).status).toBe(400);
  });

  it('refuses a request without a body where the description asks for one', async () => {
    const { paths } = document;
    const session = '/api/v1/demo/session';
    const asked = { ...paths[session]?.['post'], requestBody: { ...emptyBody, required: true } };
    describedBy({ ...document, paths: { ...paths, [session]: { ...paths[session], post: asked } } });
    await expect(client.send('POST', '/demo/session')).rejects.toThrow('a body is required');
  });

  it('refuses a header that the service takes and the description does not', async () => {
    const { paths } = document;
    const path = '/api/v1/connect';
    const changed: unknown = JSON.parse(
      JSON.stringify(paths[path]).replaceAll('"maxLength":255', '"maxLength":3'),
    );
    describedBy({ ...document, paths: { ...paths, [path]: changed } });
    const connect = client.post('/connect', { platform: 'platform_a' }, { 'Idempotency-Key': 'four' });
    await expect(connect).rejects.toThrow('header Idempotency-Key data must NOT have more than 3 characters');
  });
});

const emptyBody = { content: { 'application/json': { schema: { type: 'object' } } } };

/** The components of the description, in which requests name no platform_a. Answers of a connect do, under another name. */
const narrowed: object = JSON.parse(
  JSON.stringify(document.components).replace(
    /("ConnectDto":.*?"enum":\[)"platform_a",/s,
    (_all, before: string) => before,
  ),
);
