import { execFile } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { RunningPlatformA } from '@app/simulators';
import { ApiKeysService } from '../../src/auth/api-keys.service';
import { documentFile } from '../support/api-description';
import { startLiveService, startUnlimited, type LiveService } from '../support/live-platform-a';
import { emptyProjectWithClient, PACKAGE, problemsOfTypes } from './installed-package';

jest.setTimeout(240_000);

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
  beforeAll(async () => {
    service = await startLiveService();
    platform = await startUnlimited();
    folder = await emptyProjectWithClient();
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

  it('compiles with the samples of the description', async () => {
    const { paths } = JSON.parse(readFileSync(documentFile, 'utf8'));
    const operations = Object.values<Record<string, Sampled>>(paths).flatMap((path) => Object.values(path));
    const samples = operations.flatMap(({ operationId, 'x-codeSamples': all }) =>
      all.filter(({ label }) => label === 'Client').map(({ source }) => sampled(operationId, source)),
    );
    const without = operations.filter(
      ({ 'x-codeSamples': all }) => !all.some(({ label }) => label === 'Client'),
    );
    // The client has no method for the description itself.
    expect(without.map(({ operationId }) => operationId)).toEqual(['getApiDescription']);
    expect(samples.length).toBeGreaterThan(30);
    for (const { 'x-codeSamples': all } of operations) expect(all[0]?.source).toMatch(/^curl /);
    const load = `import type { TranslationClient } from '${PACKAGE}';`;
    writeFileSync(join(folder, 'samples.mts'), [load, ...samples].join('\n'));
    expect(await problemsOfTypes(folder, 'samples.mts')).toBe('');
  });

  it('takes the fields of the type that a change names, and no others', async () => {
    const change = (entityType: string, data: string) => `
import type { CanonicalChange } from '${PACKAGE}';
export const change: CanonicalChange = {
  format: 'canonical', canonical_id: 'x_1', entity_type: '${entityType}', data: ${data},
};`;
    const compiled = async (text: string) => {
      writeFileSync(join(folder, 'change.mts'), text);
      return problemsOfTypes(folder, 'change.mts').catch(({ stdout }: { stdout: string }) => stdout);
    };
    expect(await compiled(change('payment', '{ notes: null, amount: { amount: 5 } }'))).toBe('');
    expect(await compiled(change('payment', "{ title: 'x' }"))).toContain('title');
    expect(await compiled(change('contract', "{ title: 'x' }"))).toBe('');
  });
});

interface Sampled {
  readonly operationId: string;
  readonly 'x-codeSamples': readonly { readonly label: string; readonly source: string }[];
}

function sampled(operationId: string, source: string): string {
  return `export async function ${operationId}(client: TranslationClient, id: string, version: string): Promise<void> {\n${source}\n}`;
}
