import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib';
import Ajv2020, { type ValidateFunction } from 'ajv/dist/2020';
import addFormats from 'ajv-formats';
import { COMPILED_SOON, operationOf, type Paths } from './api-description';

/** A request, as far as it is checked. */
export interface CheckedRequest {
  readonly method: string;
  /** With its query, `/api/v1/objects?limit=5`. */
  readonly path: string;
  readonly headers: Headers;
  /** As it was sent; undefined for none. */
  readonly body: string | Uint8Array | undefined;
}

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly schema: { readonly type?: string };
}

interface DescribedRequest {
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: {
    readonly required?: boolean;
    readonly content: Readonly<Record<string, { readonly schema: object }>>;
  };
}

/** A description of an API, as far as it says what may be sent. */
export interface DescribedRequests {
  readonly paths: Paths<DescribedRequest>;
  readonly components: object;
}

/** Requests checked against one description, as a gateway in front of the service does. Each schema is compiled when it is first needed. */
export class RequestChecker {
  private readonly ajv = addFormats(new Ajv2020({ strict: false, allErrors: false, ...COMPILED_SOON }));
  private readonly compiled = new Map<object, ValidateFunction>();

  constructor(private readonly document: DescribedRequests) {
    this.ajv.addSchema({ $id: 'api', components: document.components });
  }

  /**
   * What the description does not allow of a request; empty where it allows it.
   *
   * Routes that the description does not have are not looked at: tests add some.
   */
  problemsOf({ method, path, headers, body }: CheckedRequest): readonly string[] {
    const [route = '', query = ''] = path.replace(/#.*$/s, '').split(/\?(.*)/s);
    const found = operationOf(this.document.paths, method, route);
    if (found === undefined) return [];
    const { parameters = [], requestBody } = found.operation;
    const inQuery = parameters.filter((one) => one.in === 'query');
    const given = new URLSearchParams(query);
    const names = [...given.keys()];
    return [
      ...this.problemsOfBody(requestBody, headers, body),
      ...names.flatMap((name, place) => {
        if (inQuery.every((one) => one.name !== name))
          return [`the query parameter ${name} is not described`];
        return names.indexOf(name) === place ? [] : [`the query parameter ${name} is there twice`];
      }),
      ...inQuery.flatMap((one) => this.problemsOfParameter(one, given.get(one.name))),
      ...parameters
        .filter((one) => one.in === 'header')
        .flatMap((one) => this.problemsOfParameter(one, headers.get(one.name))),
      ...parameters
        .filter((one) => one.in === 'path')
        .flatMap((one) => this.problemsOfParameter(one, found.values.get(one.name) ?? null)),
    ];
  }

  private problemsOfBody(
    described: DescribedRequest['requestBody'],
    headers: Headers,
    body: string | Uint8Array | undefined,
  ): readonly string[] {
    const text = typeof body === 'string' ? body : textOf(body, headers.get('content-encoding'));
    // A body of no bytes is none.
    if (text === '') return described?.required === true ? ['a body is required'] : [];
    if (described === undefined) return ['there is a body'];
    const type = (headers.get('content-type') ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
    const schema = described.content[type]?.schema;
    return schema === undefined
      ? [`the content type ${type} is not described`]
      : // The service reads a text with a byte order mark as well.
        this.problems(schema, JSON.parse(text.replace(/^\uFEFF/, '')), 'the body');
  }

  private problemsOfParameter({ name, in: place, required, schema }: Parameter, value: string | null) {
    if (value === null) return required === true ? [`${place} ${name} is required`] : [];
    return this.problems(schema, typed(value, schema.type), `${place} ${name}`);
  }

  private problems(schema: object, value: unknown, name: string): readonly string[] {
    let validate = this.compiled.get(schema);
    if (validate === undefined) {
      // Schemas refer to components of the whole description.
      const absolute: object = JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"api#/'));
      validate = this.ajv.compile(absolute);
      this.compiled.set(schema, validate);
    }
    return validate(value) ? [] : [`${name} ${this.ajv.errorsText(validate.errors)}`];
  }
}

/** A parameter as a gateway reads it: what is no number or boolean stays text. */
function typed(value: string, type: string | undefined): unknown {
  if (type === 'integer' && /^-?\d+$/.test(value)) return Number(value);
  if (type === 'boolean' && /^(?:true|false)$/.test(value)) return value === 'true';
  return value;
}

/** A body as it was before it was compressed. */
function textOf(body: Uint8Array | undefined, encoding: string | null): string {
  if (body === undefined) return '';
  switch (encoding?.trim().toLowerCase()) {
    case 'gzip':
      return gunzipSync(body).toString('utf8');
    case 'deflate':
      return inflateSync(body).toString('utf8');
    case 'br':
      return brotliDecompressSync(body).toString('utf8');
    default:
      return new TextDecoder().decode(body);
  }
}
