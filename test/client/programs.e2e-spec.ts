import { execFile } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Client } from 'pg';
import ts from 'typescript';
import { TranslationClient } from '@app/client';
import type { RunningPlatformA } from '@app/simulators';
import { ApiKeysService } from '../../src/auth/api-keys.service';
import { PropagateWait } from '../../src/propagate/propagate.service';
import { SyncTimes } from '../../src/sync/schedule/sync-times';
import { documentFile } from '../support/description/api-description';
import { startLiveService, startUnlimited, type LiveService } from '../support/live/live-platform-a';
import { emptyProjectWithClient, PACKAGE, problemsOfTypes } from './installed-package';

jest.setTimeout(240_000);

const library = join(__dirname, '../../libs/client');
const execute = promisify(execFile);

/** Runs a program. One that waits for what does not come is ended, and the test fails. */
const run = (file: string, args: readonly string[]) => execute(file, args, { timeout: 120_000 });

/** Uses the client as a program does that was written elsewhere. Prints what it found. */
const program = `
const [url, apiKey, path, company_id] = process.argv.slice(2);
const client = new TranslationClient({ baseUrl: url, apiKey });
async function main() {
  await client.connect('platform_b');
  const { stored } = await client.schema('payment');
  const types = (await client.schemas()).map(({ entity_type }) => entity_type);
  const place = { platform_b: { path: 'costCenter', writable: true } };
  const { field } = await client.defineField('payment', 'cost_center', { codec: 'text', platforms: place });
  const isReading = async () => (await client.fields()).some(({ status }) => status === 'reading');
  while (await isReading()) await new Promise((resolve) => setTimeout(resolve, 100));
  const pages = [];
  for await (const { data, next_cursor } of client.eventPages({ limit: 20 })) pages.push({ data, next_cursor });
  const numbers = pages.flatMap(({ data }) => data.map(({ sequence }) => sequence));
  const ready = [];
  for await (const { data } of client.events({ type: 'field.ready' })) ready.push(data.field);
  let cases = 0;
  for await (const one of client.allCases({ limit: 3 })) cases += one.id.startsWith('case_') ? 1 : 0;
  const { facets } = await client.cases({ limit: 1 });
  const asked = { method: 'GET', path, query: { company_id } };
  const answer = await client.request('platform_a', asked);
  const { removed } = await client.removeField('payment', 'cost_center');
  const later = await client.eventPage({ cursor: pages.at(-1).next_cursor });
  console.log(JSON.stringify({
    stored, types: types.length, field, ready, cases: [cases, facets.total],
    inOrder: numbers.every((number, place) => number === place + 1), pages: pages.length > 1,
    again: later.data.some(({ sequence }) => numbers.includes(sequence)),
    status: answer.status, named: typeof answer.body.name, removed,
  }));
}
main();
`;

describe('The package of the client in an empty project', () => {
  let service: LiveService;
  let platform: RunningPlatformA;
  let folder: string;
  let problems: Record<keyof ReturnType<typeof programs>, string>;
  beforeAll(async () => {
    service = await startLiveService();
    // The records are read again for a field when the schedule comes to it.
    Object.assign(service.app.get(SyncTimes, { strict: false }), { schedule: 100 });
    platform = await startUnlimited();
    folder = await emptyProjectWithClient();
    problems = await problemsOfTypes(folder, programs());
  });
  afterAll(async () => {
    rmSync(folder, { recursive: true, force: true });
    await platform.close();
    await service.close();
  });

  it.each([
    ['import', 'mjs', `import { TranslationClient } from '${PACKAGE}';`],
    ['require', 'cjs', `const { TranslationClient } = require('${PACKAGE}');`],
  ])(
    'follows events, reads schemas, defines a field and sends a request with %s',
    async (_way, extension, load) => {
      const { customerId } = await service.openLive(platform);
      const { key } = await service.app.get(ApiKeysService, { strict: false }).issue(customerId, 'live', {
        permissions: ['read', 'write', 'administer', 'passthrough'],
      });
      const file = join(folder, `walk.${extension}`);
      writeFileSync(file, `${load}${program}`);
      const vendor = Number(platform.control.records('vendors')[0]?.['id']);
      const { stdout } = await run(process.execPath, [
        file,
        service.url,
        key,
        `/rest/v1.0/vendors/${vendor}`,
        platform.credentials.company_id,
      ]);
      const said = JSON.parse(stdout);
      expect(said).toEqual({
        stored: true,
        types: 9,
        field: 'custom.cost_center',
        ready: ['custom.cost_center'],
        cases: [said.cases[1], said.cases[1]],
        inOrder: true,
        pages: true,
        again: false,
        status: 200,
        named: 'string',
        removed: true,
      });
    },
  );

  it.each([
    ['import', 'mjs', `import { TranslationClient } from '${PACKAGE}';`],
    ['require', 'cjs', `const { TranslationClient } = require('${PACKAGE}');`],
  ])('works with %s', async (_way, extension, load) => {
    const call = `new TranslationClient({ baseUrl: process.argv[2] }).health().then(({ status }) => console.log(status));`;
    const file = join(folder, `health.${extension}`);
    writeFileSync(file, `${load}\n${call}\n`);
    const { stdout } = await run(process.execPath, [file, service.url]);
    expect(stdout).toBe('ok\n');
  });

  const readmeFile = (key: string): string => {
    const file = join(folder, 'readme.mjs');
    const { outputText } = ts.transpileModule(readmeProgram(service.url, key), {
      compilerOptions: { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ES2022 },
    });
    writeFileSync(file, outputText);
    return file;
  };

  it('changes what the loop of its README shows, and creates nothing', async () => {
    const { key } = await service.openSession();
    const client = new TranslationClient({ baseUrl: service.url, apiKey: key });
    for (const platform of ['platform_a', 'platform_b'] as const) await client.connect(platform);
    const onB = async () => (await client.listObjects('platform_b', 'payment')).map(({ id }) => id).sort();
    const before = await onB();
    const file = readmeFile(key);
    expect(await run(process.execPath, [file])).toEqual({ stdout: '', stderr: '' });
    expect(await onB()).toEqual(before);
    const onA = await client.listObjects('platform_a', 'payment');
    expect(onA.some(({ mappings }) => mappings.length === 1)).toBe(true);
    for (const { data } of onA) expect('notes' in data && data.notes).toBe('Checked');
  });

  it('has a loop in its README that loses no change to other work without a word', async () => {
    const { key, customerId } = await service.openSession();
    const client = new TranslationClient({ baseUrl: service.url, apiKey: key });
    await client.connect('platform_a');
    const wait = service.app.get(PropagateWait, { strict: false });
    const { lockMilliseconds } = wait;
    const other = new Client({ connectionString: service.databaseUrl });
    await other.connect();
    await other.query('begin');
    await other.query('select from canonical_objects where customer_id = $1 for update', [customerId]);
    wait.lockMilliseconds = 100;
    await expect(run(process.execPath, [readmeFile(key)])).rejects.toThrow(/Other work on these records/);
    await other.end();
    wait.lockMilliseconds = lockMilliseconds;
  });

  it('brings types with which the README compiles', () => {
    expect(problems.readme).toBe('');
  });

  it('compiles with the samples of the description', () => {
    const operations = describedOperations();
    const without = operations.filter(
      ({ 'x-codeSamples': all }) => !all.some(({ label }) => label === 'Client'),
    );
    // The client has no method for the description itself.
    expect(without.map(({ operationId }) => operationId)).toEqual(['getApiDescription']);
    expect(clientSamples().length).toBeGreaterThan(30);
    for (const { 'x-codeSamples': all } of operations) expect(all[0]?.source).toMatch(/^curl /);
    expect(problems.samples).toBe('');
  });

  it('has the members of a case that its kind has, in lists, single cases and events', () => {
    expect(problems.oneSided).toBe('');
    expect(problems.differing.match(/Property 'missing_on' does not exist/g)).toHaveLength(2);
    // A case of two records names no platform.
    expect(problems.differing).toMatch(/null.* is not assignable to type/);
  });

  it('takes the fields of the type that a change names, and no others', () => {
    expect(problems.payment).toBe('');
    expect(problems.strange).toContain('title');
    expect(problems.contract).toBe('');
  });
});

/** Programs that are compiled with the package, and not run. */
function programs() {
  return {
    readme: readmeProgram('https://translate.example.org', 'sk_test'),
    samples: [`import type { TranslationClient } from '${PACKAGE}';`, ...clientSamples()].join('\n'),
    payment: change('payment', '{ notes: null, amount: { amount: 5 } }'),
    strange: change('payment', "{ title: 'x' }"),
    contract: change('contract', "{ title: 'x' }"),
    oneSided: readingCases('only_on', 'missing_on.length'),
    differing: readingCases('disagreement', 'missing_on'),
  };
}

function readingCases(kind: string, member: string): string {
  return `
import type { FeedEvent, Platform, ReconciliationCase, ReconciliationCaseDetail } from '${PACKAGE}';
export const listed = (one: ReconciliationCase) => (one.kind === '${kind}' ? one.${member} : undefined);
export const single = (one: ReconciliationCaseDetail) => (one.kind === '${kind}' ? one.${member} : one.compared);
export const told = (event: FeedEvent): Platform | undefined =>
  event.type === 'case.opened' && event.data.kind === '${kind}' ? event.data.platform : undefined;`;
}

function change(entityType: string, data: string): string {
  return `
import type { CanonicalChange } from '${PACKAGE}';
export const change: CanonicalChange = {
  format: 'canonical', canonical_id: 'x_1', entity_type: '${entityType}', data: ${data},
};`;
}

interface Sampled {
  readonly operationId: string;
  readonly 'x-codeSamples': readonly { readonly label: string; readonly source: string }[];
}

function describedOperations(): readonly Sampled[] {
  const { paths } = JSON.parse(readFileSync(documentFile, 'utf8'));
  return Object.values<Record<string, Sampled>>(paths).flatMap((path) => Object.values(path));
}

function clientSamples(): readonly string[] {
  return describedOperations().flatMap(({ operationId, 'x-codeSamples': all }) =>
    all.filter(({ label }) => label === 'Client').map(({ source }) => sampled(operationId, source)),
  );
}

function sampled(operationId: string, source: string): string {
  return `export async function ${operationId}(client: TranslationClient, id: string, version: string): Promise<void> {\n${source}\n}`;
}

/** The program of the client's README, for another service, and for payments of any age. */
function readmeProgram(url: string, key: string): string {
  const [, program] = /```ts\n(.*?)```/s.exec(readFileSync(join(library, 'README.md'), 'utf8')) ?? [];
  if (program === undefined) throw new Error('The README has no program');
  return program
    .replace('https://translate.example.org', url)
    .replace('sk_live_…', key)
    .replace("modified_after: '2026-11-01'", "modified_after: '2020-01-01'");
}
