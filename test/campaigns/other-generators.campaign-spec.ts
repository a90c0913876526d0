// Clients that two other generators make of the description compile strictly, and pass a walk over the service.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { documentFile } from '../support/api-description';
import { campaign } from '../support/campaign';
import { startApp, type RunningApp } from '../support/app';
import { installTools, type InstalledTools } from '../support/installed-tools';
import { masterKey } from '../e2e/credentials/master-keys';

const compilerOptions = [
  ...['--strict', '--noUncheckedIndexedAccess', '--noImplicitOverride', '--noFallthroughCasesInSwitch'],
  ...['--target', 'es2022', '--module', 'nodenext', '--types', 'node'],
];

/** Where events would go. Nothing listens there, and the endpoint is disabled. */
const endpoint = `{ url: 'https://93.184.215.14/hook', types: ['object.changed'], enabled: false }`;
const project = `{ id: 341276, name: 'Lusail Boulevard Tower', project_number: 'P-7' }`;

/** Uses what `@hey-api/openapi-ts` generates. */
const heyApi = `
import * as api from './hey-api/index.js';
import { createClient } from './hey-api/client/index.js';

async function main(baseUrl: string): Promise<void> {
  let key = '';
  const to = { client: createClient({ baseUrl, auth: () => key }), throwOnError: true } as const;
  key = (await api.openDemoSession({ ...to, body: {} })).data.data.api_key;
  for (const platform of ['platform_a', 'platform_b'] as const) await api.connectPlatform({ ...to, body: { platform } });
  const { connections } = (await api.listConnections(to)).data.data;
  const query = { platform: 'platform_a', entity_type: 'payment', limit: 5, q: undefined } as const;
  const list = (await api.listObjects({ ...to, query })).data;
  const path = { canonical_id: list.data.find(({ mappings }) => mappings.length === 2)?.canonical_id ?? '' };
  const object = (await api.getObject({ ...to, path })).data.data;
  const source = 'platform_a';
  const transformed = (await api.transformRecord({
    ...to, body: { source, target: 'platform_b', entity_type: 'project', data: ${project} },
  })).data;
  const change: api.CanonicalChange = {
    format: 'canonical', ...path, entity_type: 'payment', data: { notes: 'From a generated client' },
  };
  const dry = (await api.propagateChange({ ...to, body: { ...change, dry_run: true } })).data.data;
  const made = (await api.propagateChange({ ...to, body: change, headers: { 'Idempotency-Key': 'k-1' } })).data.data;
  const after = (await api.getObject({ ...to, path })).data.data;
  const statement = (await api.getStatement({ ...to, query: { entity_type: 'payment', currency: 'USD' } })).data.data;
  const cases = (await api.listCases({ ...to, query: { kind: 'only_on', limit: 2 } })).data;
  const one = (await api.getCase({ ...to, path: { id: cases.data[0]?.id ?? '' } })).data.data;
  const events = (await api.listEvents({ ...to, query: { canonical_id: path.canonical_id } })).data;
  const hook = (await api.createWebhookEndpoint({ ...to, body: ${endpoint} })).data.data;
  const hooks = (await api.listWebhookEndpoints(to)).data.data;
  const removed = await api.deleteWebhookEndpoint({ ...to, path: { id: hook.id }, body: {} });
  const unknown = await api.getObject({ client: to.client, path: { canonical_id: 'pay_0' } });
  const closed = await api.closeDemoSession({ ...to, body: {} });
  console.log(JSON.stringify({
    connected: connections.map(({ platform }) => platform),
    listed: list.data.length, hasMore: typeof list.next_cursor, fields: object.data.object,
    translated: transformed.canonical.object, native: Object.keys(transformed.data).length > 0,
    dry: [dry.dry_run, dry.propagation_id === undefined, dry.canonical.updated_fields],
    made: made.propagated.platform_b?.status, notes: 'notes' in after.data ? after.data.notes : undefined,
    statement: [statement.currency, statement.types.length], cases: [cases.data.length, cases.facets.total > 2],
    one: one.kind, events: events.data.at(-1)?.type,
    secret: hook.secret?.slice(0, 6), hooks: hooks.length, removed: removed.response.status,
    unknown: unknown.error?.error.type, closed: closed.response.status,
  }));
}
main(process.argv[2] ?? '').catch((error: unknown) => {
  console.error(JSON.stringify(error));
  process.exitCode = 1;
});
`;

/** Uses what `swagger-typescript-api` generates. */
const swaggerTypescriptApi = `
import { Api, type ErrorAnswer, type HttpResponse } from './swagger-typescript-api/api.js';

async function main(baseUrl: string): Promise<void> {
  const { api, setSecurityData } = new Api<string>({
    baseUrl, securityWorker: (key) => ({ headers: { Authorization: \`Bearer \${key}\` } }),
  });
  setSecurityData((await api.openDemoSession({})).data.data.api_key);
  for (const platform of ['platform_a', 'platform_b'] as const) await api.connectPlatform({ platform });
  const { connections } = (await api.listConnections()).data.data;
  const list = (await api.listObjects({ platform: 'platform_a', entity_type: 'payment', limit: 5 })).data;
  const canonical_id = list.data.find(({ mappings }) => mappings.length === 2)?.canonical_id ?? '';
  const object = (await api.getObject(canonical_id)).data.data;
  const source = 'platform_a';
  const transformed = (await api.transformRecord({
    source, target: 'platform_b', entity_type: 'project', data: ${project},
  })).data;
  const change = {
    format: 'canonical', canonical_id, entity_type: 'payment', data: { notes: 'From a generated client' },
  } as const;
  const dry = (await api.propagateChange({ ...change, dry_run: true })).data.data;
  const made = (await api.propagateChange(change, { headers: { 'Idempotency-Key': 'k-1' } })).data.data;
  const after = (await api.getObject(canonical_id)).data.data;
  const statement = (await api.getStatement({ entity_type: 'payment', currency: 'USD' })).data.data;
  const cases = (await api.listCases({ kind: 'only_on', limit: 2 })).data;
  const one = (await api.getCase(cases.data[0]?.id ?? '')).data.data;
  const events = (await api.listEvents({ canonical_id })).data;
  const hook = (await api.createWebhookEndpoint(${endpoint})).data.data;
  const hooks = (await api.listWebhookEndpoints()).data.data;
  const removed = await api.deleteWebhookEndpoint(hook.id, {});
  const unknown = await api.getObject('pay_0').catch((answer: HttpResponse<unknown, ErrorAnswer>) => answer);
  const closed = await api.closeDemoSession({});
  console.log(JSON.stringify({
    connected: connections.map(({ platform }) => platform),
    listed: list.data.length, hasMore: typeof list.next_cursor, fields: object.data.object,
    translated: transformed.canonical.object, native: Object.keys(transformed.data).length > 0,
    dry: [dry.dry_run, dry.propagation_id === undefined, dry.canonical.updated_fields],
    made: made.propagated.platform_b?.status, notes: 'notes' in after.data ? after.data.notes : undefined,
    statement: [statement.currency, statement.types.length], cases: [cases.data.length, cases.facets.total > 2],
    one: one.kind, events: events.data.at(-1)?.type,
    secret: hook.secret?.slice(0, 6), hooks: hooks.length, removed: removed.status,
    unknown: unknown.error?.error.type, closed: closed.status,
  }));
}
main(process.argv[2] ?? '').catch((error: unknown) => {
  console.error(JSON.stringify(error));
  process.exitCode = 1;
});
`;

campaign('other-generators', (figures) => {
  let tools: InstalledTools;
  let service: RunningApp;
  beforeAll(async () => {
    tools = await installTools({
      '@hey-api/openapi-ts': '0.99.0',
      '@types/node': '20.19.43',
      'swagger-typescript-api': '13.13.0',
      typescript: '6.0.3',
    });
    service = await startApp({ credentialsKeys: [masterKey('clients')] });
  });
  afterAll(async () => {
    await service.close();
    tools.remove();
  });

  for (const [name, generator, args, program] of [
    ['hey-api', 'openapi-ts', ['--input', documentFile, '--output', 'hey-api'], heyApi],
    [
      'swagger-typescript-api',
      'swagger-typescript-api',
      ['generate', '--path', documentFile, '--output', 'swagger-typescript-api', '--name', 'api.ts'],
      swaggerTypescriptApi,
    ],
  ] as const) {
    figures.part(`${name}: compiles strictly, and passes the walk`, async () => {
      await tools.run(generator, ...args);
      writeFileSync(join(tools.folder, `${name}.ts`), program);
      await tools.run('tsc', ...compilerOptions, `${name}.ts`);
      const { stdout } = await tools.run(`${name}.js`, service.url);
      expect(JSON.parse(stdout)).toEqual({
        connected: ['platform_a', 'platform_b'],
        listed: 5,
        hasMore: 'string',
        fields: 'payment',
        translated: 'project',
        native: true,
        dry: [true, true, ['notes']],
        made: 'applied',
        notes: 'From a generated client',
        statement: ['USD', 1],
        cases: [2, true],
        one: 'only_on',
        events: 'propagation.settled',
        secret: 'whsec_',
        hooks: 1,
        removed: 204,
        unknown: 'NOT_FOUND',
        closed: 204,
      });
      figures.count('clients');
    });
  }
});
