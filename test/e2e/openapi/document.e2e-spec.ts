import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ApiDescription } from '../../../src/openapi/api-description';
import { api } from '../../support/api';
import { startApp, type RunningApp } from '../../support/app';
import { documentFile } from '../../support/described-answers';
import { walk, type Exchange } from './walk';

jest.setTimeout(60_000);

/** With it, the examples and the document are written anew rather than compared. */
const updates = process.env['UPDATE_DOCS'] === '1';
const folder = join(__dirname, '../../../src/openapi/examples');

interface Response {
  readonly content?: Readonly<Record<string, { readonly examples?: object }>>;
}

interface Operation {
  readonly responses: Readonly<Record<string, Response>>;
}

describe('The examples of the API description', () => {
  let exchanges: readonly Exchange[];
  beforeAll(async () => {
    exchanges = await walk();
    if (updates) writeExamples(exchanges);
  });

  it('are what the service answers', () => {
    const recorded = readdirSync(folder)
      .sort()
      .flatMap((file) => {
        const text = readFileSync(join(folder, file), 'utf8');
        const examples = JSON.parse(text, withoutTimesOfChange) as Record<string, object>;
        return Object.entries(examples).map(
          ([name, example]) => [`${file} ${name}`, shapeOf(example)] as const,
        );
      });
    const actual = exchanges.map(({ operationId, name, ...example }) => {
      const plain: unknown = JSON.parse(JSON.stringify(example), withoutTimesOfChange);
      return [`${operationId}.json ${name}`, shapeOf(plain)] as const;
    });
    expect(Object.fromEntries(actual)).toEqual(Object.fromEntries(recorded));
  });
});

/** The sandbox writes times of change in whole seconds: two changes within one do not change them twice. */
function withoutTimesOfChange(name: string, value: unknown): unknown {
  if (name !== 'fields' || !Array.isArray(value)) return value;
  return value.filter(({ field }) => field !== 'updated_at');
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

/** What stays the same from one run to the next: names and kinds of members. IDs and times differ. */
function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shapeOf);
  if (typeof value !== 'object' || value === null) return value === null ? 'null' : typeof value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      name === 'summary' || name === 'status' ? member : shapeOf(member),
    ]),
  );
}
