import { readFileSync } from 'node:fs';
import { PERMISSIONS } from '../../../src/auth/keys/permissions';
import { api } from '../../support/app/api';
import { startApp, type RunningApp } from '../../support/app/app';
import { documentFile } from '../../support/description/api-description';
import { expectError } from '../../support/app/expectations';

interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly oneOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly minItems?: number;
}

interface Operation {
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> };
}

const document = JSON.parse(readFileSync(documentFile, 'utf8')) as {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema> };
};

/** Objects of several forms, and those with a description of their own, have no type beside the reference. */
const typeOf = (schema: Schema): string => {
  const { type, anyOf = [] } = resolved(schema);
  const other = isNullable(schema) ? anyOf.find((one) => one.type !== 'null') : undefined;
  return other === undefined ? ([type ?? 'object'].flat()[0] ?? 'object') : typeOf(other);
};

/** Whether null is a value of a member: it takes back what was set. */
const isNullable = (schema: Schema): boolean =>
  (resolved(schema).anyOf ?? []).some(({ type }) => type === 'null');

const resolved = (schema: Schema): Schema =>
  schema.$ref === undefined
    ? schema
    : (document.components.schemas[schema.$ref.replace('#/components/schemas/', '')] ?? {});

/** A value that a schema describes, with the members that have to be there. */
function sample(given: Schema): unknown {
  const schema = resolved(given);
  if (schema.enum !== undefined) return schema.enum[0];
  switch (typeOf(schema)) {
    case 'object':
      return Object.fromEntries(
        (schema.required ?? []).map((name) => [name, sample(schema.properties?.[name] ?? {})]),
      );
    case 'array':
      return Array.from({ length: schema.minItems ?? 1 }, () => sample(schema.items ?? {}));
    case 'boolean':
      return true;
    default:
      return 'x';
  }
}

/** Values of other types than the schema has. */
function misfits(given: Schema): readonly unknown[] {
  const types = [given, ...(given.oneOf ?? [])].map(typeOf);
  const all: Readonly<Record<string, unknown>> = {
    string: 'x',
    number: 5,
    boolean: true,
    array: [],
    object: {},
  };
  const ofOtherTypes = Object.entries(all).flatMap(([name, value]) => (types.includes(name) ? [] : [value]));
  return isNullable(given) ? ofOtherTypes : [null, ...ofOtherTypes];
}

type Path = readonly (string | number)[];

/** The members of a value that a schema describes, at every depth that has names of its own. */
function members(given: Schema, path: Path = []): { path: Path; schema: Schema; required: boolean }[] {
  const schema = resolved(given);
  if (schema.items !== undefined) return members(schema.items, [...path, 0]);
  return Object.entries(schema.properties ?? {}).flatMap(([name, member]) => {
    const required = schema.required?.includes(name) ?? false;
    // What is not required is not in the sample, so nothing in it is looked at.
    const inner = required ? members(member, [...path, name]) : [];
    return [{ path: [...path, name], schema: member, required }, ...inner];
  });
}

/** A copy with another value in a place; without it where the value is undefined. */
function withMember(value: unknown, [first, ...rest]: Path, member: unknown): unknown {
  if (first === undefined) return member;
  if (Array.isArray(value)) return value.with(Number(first), withMember(value[Number(first)], rest, member));
  const object: Readonly<Record<string, unknown>> = { ...(value as object) };
  return { ...object, [first]: withMember(object[String(first)], rest, member) };
}

const written = (path: Path): string =>
  path
    .map((part, place) => (typeof part === 'number' ? `[${part}]` : `${place === 0 ? '' : '.'}${part}`))
    .join('');

const bodies = Object.entries(document.paths).flatMap(([path, operations]) =>
  Object.entries(operations).flatMap(([method, { requestBody }]) => {
    const schema = requestBody?.content['application/json']?.schema;
    if (schema === undefined) return [];
    return (resolved(schema).oneOf ?? [schema])
      .filter((one) => (resolved(one).required ?? []).length > 0)
      .map((one) => ({
        method: method.toUpperCase(),
        path: path.replace('/api/v1', '').replace(/\{\w+\}/g, 'e3b0c442-98fc-4c14-9afb-f4c8996fb924'),
        form: one.$ref?.split('/').at(-1) ?? '',
        body: sample(one),
        members: members(one),
      }));
  }),
);

describe('a member of a body', () => {
  let service: RunningApp;
  let client: ReturnType<typeof api>;
  beforeAll(async () => {
    service = await startApp();
    client = api(service.url, (await service.issueKey('test', PERMISSIONS)).key);
  });
  afterAll(() => service.close());

  it('is looked at on every route that takes a body', () => {
    expect(bodies.map(({ method, path }) => `${method} ${path}`)).toEqual(
      expect.arrayContaining([
        'POST /connect',
        'POST /propagate',
        'POST /transform',
        'POST /reconciliation/decisions',
        'POST /reconciliation/signoffs',
      ]),
    );
  });

  describe.each(bodies)('$method $path ($form)', ({ method, path, body, members: all }) => {
    const send = (value: unknown) => client.send(method, path, { body: value });

    it.each(all.filter(({ required }) => required).map((one) => ({ ...one, name: written(one.path) })))(
      'says that $name is required when it is missing',
      async ({ path: place, name }) => {
        const answer = await send(withMember(body, place, undefined));
        expectError(answer, 400, 'VALIDATION_ERROR');
        expect(answer.body.error.message.replace('Invalid input: ', '').split('; ')).toContain(
          `${name} is required`,
        );
      },
    );

    it.each(all.map((one) => ({ ...one, name: written(one.path) })))(
      'says what $name must be when it is null or of another type',
      async ({ path: place, name, schema }) => {
        for (const misfit of misfits(schema)) {
          const answer = await send(withMember(body, place, misfit));
          expect({ misfit, status: answer.status }).toEqual({ misfit, status: 400 });
          const { message } = answer.body.error;
          expect(message).toContain(`${name} must be`);
          expect(message).not.toContain('is required');
          // What matters is the type, not how long a text of it may be.
          expect(message).not.toMatch(/shorter|longer|must say|must name/);
        }
      },
    );

    it('names all that is missing', async () => {
      const { message } = (await send({})).body.error;
      const first = all.filter(({ path: place, required }) => required && place.length === 1);
      const named = first.filter(({ path: [name] }) => message.includes(`${name} is required`));
      // The format decides which others have to be there.
      const conditional = first.some(({ path: [name] }) => name === 'format') ? 3 : first.length;
      expect(named.length).toBeGreaterThanOrEqual(Math.min(conditional, first.length));
    });
  });
});
