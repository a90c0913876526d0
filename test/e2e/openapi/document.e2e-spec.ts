import { platformNames } from '@app/mapper';
import { behaviourOf } from '@app/behaviour';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { ApiDescription } from '../../../src/common/openapi/api-description';
import { api } from '../../support/app/api';
import { startApp, type RunningApp } from '../../support/app/app';
import { documentFile } from '../../support/description/api-description';
import { withRecordedValues } from './recorded-values';
import { walk, type Exchange } from './walk';

jest.setTimeout(60_000);

/** With it, the examples and the document are written anew rather than compared. */
const updates = process.env['UPDATE_DOCS'] === '1';
const folder = join(__dirname, '../../../src/common/openapi/examples');

interface Response {
  readonly content?: Readonly<Record<string, { readonly examples?: object }>>;
}

interface Operation {
  readonly responses: Readonly<Record<string, Response>>;
}

describe('The examples of the API description', () => {
  it('are what the service answers', async () => {
    const since = new Date();
    const answered = plain(await walk());
    const examples = withRecordedValues(answered, readRecorded(), { since, constants: samples });
    if (updates) writeExamples(examples);
    // So a further update changes nothing.
    expect(byName(examples)).toEqual(byName(readRecorded()));
  });

  it('keep their values when a field comes to them', () => {
    const recorded = readRecorded();
    const since = new Date('2031-01-01T00:00:00Z');
    const later = recorded.map((example) => asAnsweredLater(example, 'added'));
    const kept = withRecordedValues(later, recorded, { since, constants: samples });
    expect(byName(kept)).toEqual(byName(recorded.map((example) => ({ ...example, added: 'added' }))));
    expect(byName(later)).not.toEqual(byName(kept));
  });
});

/** What the sandboxes hold is the same in each run. */
const samples = platformNames.map((platform) => JSON.stringify(behaviourOf(platform).portfolio())).join();

function readRecorded(): readonly Exchange[] {
  return readdirSync(folder)
    .sort()
    .flatMap((file) => {
      const examples = JSON.parse(readFileSync(join(folder, file), 'utf8')) as Record<
        string,
        Omit<Exchange, 'name'>
      >;
      const operationId = basename(file, '.json');
      return Object.entries(examples).map(([name, example]) => ({ ...example, operationId, name }));
    });
}

/** As they are written to files: without members that are undefined. */
function plain(exchanges: readonly Exchange[]): readonly Exchange[] {
  return JSON.parse(JSON.stringify(exchanges)) as Exchange[];
}

function byName(exchanges: readonly Exchange[]): Record<string, Exchange> {
  return Object.fromEntries(
    exchanges.map((exchange) => [`${exchange.operationId} ${exchange.name}`, exchange]),
  );
}

/** An example with other IDs and versions of this length, times in 2031, and a further field. */
function asAnsweredLater(example: Exchange, added: string): Exchange & { readonly added: string } {
  const text = JSON.stringify(example)
    .replace(/2026-11-\d\dT/g, '2031-02-03T')
    .replace(/req_[0-9A-Za-z]{20}/g, (id) => `req_${[...id.slice(4)].reverse().join('')}`)
    .replace(/("version":")([\w-]{22})"/g, (_all, before, version) => `${before}dcf_${version.slice(4)}"`);
  return { ...(JSON.parse(text) as Exchange), added };
}

describe('GET /openapi.json', () => {
  let app: RunningApp;
  beforeAll(async () => {
    app = await startApp();
  });
  afterAll(() => app.close());

  it('gives the description that is committed, bare and without a key', async () => {
    const answer = await api(app.url).get('/openapi.json');
    expect(answer.status).toBe(200);
    expect(answer.headers.get('x-request-id')).toMatch(/^req_/);
    expect(answer.headers.get('api-version')).toBe('1.0');
    if (updates) writeFileSync(documentFile, `${JSON.stringify(answer.body, null, 2)}\n`);
    expect(`${JSON.stringify(answer.body, null, 2)}\n`).toBe(readFileSync(documentFile, 'utf8'));
  });

  it('is made into text once, not for each request', async () => {
    const description = app.app.get(ApiDescription, { strict: false });
    await api(app.url).get('/openapi.json');
    const { text } = description;
    await api(app.url).get('/openapi.json');
    expect(description.text).toBe(text);
  });

  it('shows an example of every answer', () => {
    const document = JSON.parse(readFileSync(documentFile, 'utf8'));
    const responses: [string, Response][] = Object.entries(document.components.responses);
    for (const [path, operations] of Object.entries<Record<string, Operation>>(document.paths)) {
      for (const [method, operation] of Object.entries(operations)) {
        const own = Object.entries(operation.responses);
        responses.push(
          ...own.map(([status, one]): [string, Response] => [`${method} ${path} ${status}`, one]),
        );
      }
    }
    const without = responses.filter(([, { content = {} }]) =>
      Object.values(content).some(({ examples }) => examples === undefined),
    );
    // The description would hold itself.
    expect(without.map(([name]) => name)).toEqual(['get /api/v1/openapi.json 200']);
  });

  it('is written so that generators of clients make code of it that compiles', () => {
    const { schemas } = JSON.parse(readFileSync(documentFile, 'utf8')).components;
    const stumblings = stumblingBlocks(schemas, 'schemas');
    expect(stumblings).toEqual([]);
    const strange = {
      enum: ['a', null],
      const: 'a',
      properties: { a: {} },
      additionalProperties: { type: 'string' },
    };
    expect(stumblingBlocks({ strange }, 'schemas')).toHaveLength(3);
  });

  it('does not change how other routes answer', async () => {
    const client = api(app.url);
    expect((await client.get('/openapi.yaml')).status).toBe(404);
    expect((await client.post('/openapi.json')).status).toBe(404);
    expect((await client.post('/openapi.json', '', { 'Content-Type': 'text/plain' })).status).toBe(415);
  });
});

/** What is right in a schema and yet made wrong code of by more than one generator. */
function stumblingBlocks(schema: unknown, path: string): readonly string[] {
  if (typeof schema !== 'object' || schema === null) return [];
  const {
    enum: words,
    const: constant,
    properties,
    additionalProperties: others,
  } = schema as Record<string, unknown>;
  const here = [
    ...(Array.isArray(words) && words.includes(null) ? ['null among words'] : []),
    ...(typeof constant === 'string' ? ['a constant'] : []),
    // As an interface, the members with names would have to be of the others' type.
    ...(properties !== undefined && typeof others === 'object'
      ? ['members with names beside others of a type']
      : []),
  ];
  return [
    ...here.map((problem) => `${path}: ${problem}`),
    ...Object.entries(schema).flatMap(([name, member]) =>
      name.startsWith('example') ? [] : stumblingBlocks(member, `${path}.${name}`),
    ),
  ];
}

function writeExamples(exchanges: readonly Exchange[]): void {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const operationId of new Set(exchanges.map((exchange) => exchange.operationId))) {
    const group = exchanges.filter((exchange) => exchange.operationId === operationId);
    const examples = group.map(({ name, summary, status, request, answer }) => [
      name,
      { summary, status, request, answer },
    ]);
    writeFileSync(
      join(folder, `${operationId}.json`),
      `${JSON.stringify(Object.fromEntries(examples), null, 2)}\n`,
    );
  }
}
