import Ajv2020, { type ValidateFunction } from 'ajv/dist/2020';
import addFormats from 'ajv-formats';
import { ERROR_STATUS } from '../../../src/common/errors/api-error';
import { COMPILED_SOON, operationOf, type Paths } from './api-description';

/** An answer, as far as it is checked. */
export interface CheckedResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly body: unknown;
}

interface Described {
  readonly $ref?: string;
  readonly content?: Readonly<Record<string, { readonly schema?: object }>>;
  readonly headers?: Readonly<Record<string, { readonly $ref: string }>>;
}

/** A description of an API, as far as it says what is answered. */
export interface DescribedResponses {
  readonly paths: Paths<{ readonly responses: Readonly<Record<string, Described>> }>;
  readonly components: {
    readonly schemas: object;
    readonly responses: Readonly<Record<string, Described>>;
    readonly headers: Readonly<Record<string, { readonly required: boolean; readonly schema: object }>>;
  };
}

/** Answers checked against one description. Each schema is compiled when it is first needed. */
export class ResponseChecker {
  private readonly ajv = addFormats(new Ajv2020({ strict: false, allErrors: false, ...COMPILED_SOON }));
  /** By the schema of the description; answers share some. */
  private readonly compiled = new Map<object, ValidateFunction>();

  constructor(private readonly document: DescribedResponses) {
    this.ajv.addSchema({ $id: 'api', components: { schemas: closed(document.components.schemas) } });
  }

  problemsOf(method: string, path: string, answer: CheckedResponse): string[] {
    const operation = operationOf(this.document.paths, method, path)?.operation;
    if (operation === undefined) {
      // Routes that tests add, and routes there are none of: of these only the form of a refusal is known.
      return answer.status < 400 ? [] : this.problemsOfBody(errorSchema, answer.body);
    }
    const found = operation.responses[String(answer.status)];
    if (found === undefined) return ['the status is not described'];
    const response = this.resolved(found);
    return [
      ...this.problemsOfContent(response, answer),
      ...this.problemsOfHeaders(response, answer.headers),
      ...problemsOfType(answer),
    ];
  }

  private resolved(response: Described): Described {
    const name = response.$ref?.replace('#/components/responses/', '');
    const shared = name === undefined ? response : this.document.components.responses[name];
    if (shared === undefined) throw new Error(`The description has no response ${name}`);
    return shared;
  }

  private problemsOfContent(response: Described, { headers, body }: CheckedResponse): string[] {
    if (response.content === undefined) return body === undefined ? [] : ['there is a body'];
    const type = (headers.get('content-type') ?? '').split(';')[0] ?? '';
    const schema = response.content[type]?.schema;
    return schema === undefined
      ? [`the content type ${type} is not described`]
      : this.problemsOfBody(schema, body);
  }

  private problemsOfHeaders(response: Described, headers: Headers): string[] {
    return Object.entries(response.headers ?? {}).flatMap(([name, { $ref }]) => {
      const header = this.document.components.headers[$ref.replace('#/components/headers/', '')];
      if (header === undefined) return [`the header ${name} is described nowhere`];
      const value = headers.get(name);
      if (value === null) return header.required ? [`the header ${name} is missing`] : [];
      const isNumber = 'type' in header.schema && header.schema.type === 'integer';
      return this.problemsOfBody(header.schema, isNumber ? Number(value) : value);
    });
  }

  private problemsOfBody(schema: object, body: unknown): string[] {
    let validate = this.compiled.get(schema);
    if (validate === undefined) {
      validate = this.ajv.compile(absolute(closed(schema)));
      this.compiled.set(schema, validate);
    }
    if (validate(body)) return [];
    return (validate.errors ?? []).map(
      ({ instancePath, message, params }) => `${instancePath || '/'} ${message} ${JSON.stringify(params)}`,
    );
  }
}

const errorSchema = { $ref: '#/components/schemas/ErrorResponse' };
const otherStatuses = [408, 413, 431];

function problemsOfType({ status, body }: CheckedResponse): string[] {
  if (status < 400 || status === 503) return [];
  const { type } = (body as { error: { type: keyof typeof ERROR_STATUS } }).error; // Its form was checked before.
  const expected = otherStatuses.includes(status) ? 400 : status;
  return ERROR_STATUS[type] === expected ? [] : [`the type ${type} does not go with the status`];
}

/**
 * A schema that takes no member it does not name. Clients shall ignore members they do not know, so the description is
 * open; the service itself shall not send any that is not described.
 */
function closed<Schema extends object>(schema: Schema): Schema {
  return rebuilt(schema, (object) =>
    'properties' in object && object.type === 'object' && !('additionalProperties' in object)
      ? { ...object, additionalProperties: false }
      : object,
  ) as Schema;
}

function absolute(schema: object): object {
  return rebuilt(schema, (object) =>
    typeof object.$ref === 'string' ? { ...object, $ref: `api${object.$ref}` } : object,
  ) as object;
}

function rebuilt(value: unknown, change: (object: Record<string, unknown>) => object): unknown {
  if (Array.isArray(value)) return value.map((item) => rebuilt(item, change));
  if (typeof value !== 'object' || value === null) return value;
  return change(
    Object.fromEntries(Object.entries(value).map(([name, member]) => [name, rebuilt(member, change)])),
  );
}
