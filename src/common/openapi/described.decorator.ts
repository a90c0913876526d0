import { applyDecorators, RequestMethod, type Type } from '@nestjs/common';
import { METHOD_METADATA } from '@nestjs/common/constants.js';
import {
  ApiBody,
  ApiExtraModels,
  ApiOperation,
  ApiResponse,
  ApiSecurity,
  getSchemaPath,
  type ApiBodyOptions,
} from '@nestjs/swagger';
import { ACCESS, type Access } from '../../auth/guard/access.decorators';
import { BARE } from '../response/bare.decorator';
import { RATE_LIMITED } from '../rate-limit/rate-limited.decorator';
import { ErrorResponse, errorMeanings, type ErrorStatus } from './error-responses';

/** Name of the security scheme. */
export const API_KEY = 'apiKey';

/** The description of an operation that its other decorators do not provide. */
export interface OperationDescription {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  /** The response on success; absent for 204. */
  readonly answer?: {
    readonly type: Type<unknown>;
    readonly isArray?: true;
    /** Other classes that an element of the list may have. */
    readonly orTypes?: readonly Type<unknown>[];
    readonly description: string;
    /**
     * Whether the response has `next_cursor` beside `data`: always, or only if the query requests pages. An `endless` list
     * grows later: its cursor is never null, and the response has `has_more`.
     */
    readonly paged?: 'always' | 'on demand' | 'endless';
    /** Whether the query may ask for `total` beside `data`, with `total_exact`. */
    readonly counted?: true;
    /** Further members beside `data`, with their classes. The query may do without them. */
    readonly beside?: Readonly<Record<string, Type<unknown>>>;
    /** Alternative media types of the response; each is text. */
    readonly otherTypes?: readonly string[];
    /** Names of additional headers of the response. */
    readonly headers?: readonly string[];
  };
  /** When the response is 304, without a body. */
  readonly notModified?: string;
  /**
   * The body of an operation whose handler takes none: a JSON object is required nevertheless, because of the
   * Content-Type.
   */
  readonly emptyBody?: true;
  readonly body?: ApiBodyOptions;
  /** Errors of this operation only, or common errors with its own description. */
  readonly errors?: Readonly<Partial<Record<ErrorStatus, string>>>;
  /** Responses that are neither errors nor success, with the same body as success. */
  readonly otherwise?: Readonly<Record<number, string>>;
}

/**
 * Describes an operation. It precedes the other decorators of a handler. Their metadata provide the rest: the envelope,
 * whether a key is required, and the errors of a key, a body or a limit.
 */
export function Described(operation: OperationDescription): MethodDecorator {
  return (target, name, descriptor) => {
    const handler: unknown = descriptor.value;
    if (typeof handler !== 'function') throw new TypeError('Only handlers are described');
    const metadata = (key: string): unknown => Reflect.getMetadata(key, handler);
    const method = metadata(METHOD_METADATA);
    if (method === undefined) throw new TypeError(`@Described of ${String(name)} must be above the others`);
    // It was set by one of the decorators of that file.
    const access = metadata(ACCESS) as Access | undefined;
    const decorators = [
      ApiOperation({
        operationId: operation.operationId,
        summary: operation.summary,
        description: [operation.description, ...permissionsNeeded(access)].join(' '),
      }),
      ...success(operation, metadata(BARE) === true),
      ...(access?.to === 'everyone' ? [] : [ApiSecurity(API_KEY, permissionsOf(access))]),
      ...(operation.emptyBody ? [ApiBody(emptyBody)] : []),
      ...(operation.body ? [ApiBody(operation.body)] : []),
      ApiExtraModels(ErrorResponse),
      ...Object.entries(errorsOf(operation, method === RequestMethod.GET, access, metadata)).map(
        ([status, description]) => ApiResponse({ status: Number(status), description, type: ErrorResponse }),
      ),
    ];
    applyDecorators(...decorators)(target, name, descriptor);
  };
}

function permissionsOf(access: Access | undefined): string[] {
  return access?.to === 'keys with permissions' ? [...access.permissions] : [];
}

function permissionsNeeded(access: Access | undefined): string[] {
  const permissions = permissionsOf(access);
  if (permissions.length === 0) return [];
  const named = permissions.map((permission) => `\`${permission}\``).join(' and ');
  return [`Needs the permission${permissions.length === 1 ? '' : 's'} ${named}.`];
}

function success(
  { answer, otherwise = {}, notModified }: OperationDescription,
  bare: boolean,
): MethodDecorator[] {
  if (answer === undefined) return [ApiResponse({ status: 204, description: 'Done; there is no body.' })];
  const types = [answer.type, ...(answer.orTypes ?? [])].map((type) => ({ $ref: getSchemaPath(type) }));
  const one = types.length === 1 ? { ...types[0] } : { anyOf: types };
  const content = answer.isArray ? { type: 'array', items: one } : one;
  const schema = bare ? content : envelope(answer, content);
  return [
    ApiExtraModels(answer.type, ...(answer.orTypes ?? []), ...Object.values(answer.beside ?? {})),
    ApiResponse({
      status: 200,
      description: answer.description,
      headers: headersNamed([...(answer.headers ?? []), ...(answer.paged === undefined ? [] : ['Link'])]),
      ...(answer.otherTypes === undefined
        ? { schema }
        : {
            content: {
              'application/json': { schema },
              ...Object.fromEntries(answer.otherTypes.map((type) => [type, { schema: { type: 'string' } }])),
            },
          }),
    }),
    ...Object.entries(otherwise).map(([status, description]) =>
      ApiResponse({ status: Number(status), description, schema }),
    ),
    ...(notModified === undefined
      ? []
      : [
          ApiResponse({ status: 304, description: notModified, headers: headersNamed(answer.headers ?? []) }),
        ]),
  ];
}

/** References to headers of the document. */
function headersNamed(names: readonly string[]): Record<string, { readonly $ref: string }> {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

/** `data`, and the members beside it. */
function envelope<Data extends object>(
  { paged, counted, beside = {} }: NonNullable<OperationDescription['answer']>,
  data: Data,
) {
  const next = {
    anyOf: [{ type: 'string' }, { type: 'null' }],
    description:
      'The start of the next page: send it as `cursor` with the same parameters. Null on the last page.',
  };
  return {
    type: 'object',
    required: [
      'data',
      ...(paged === 'always' || paged === 'endless' ? ['next_cursor'] : []),
      ...(paged === 'endless' ? ['has_more'] : []),
    ],
    properties: {
      data,
      ...Object.fromEntries(
        Object.entries(beside).map(([name, type]) => [name, { $ref: getSchemaPath(type) }]),
      ),
      ...(paged !== undefined && { next_cursor: paged === 'endless' ? goesOn : next }),
      ...(paged === 'endless' && { has_more: hasMore }),
      ...(counted === true && totals),
    },
  };
}

const goesOn = {
  type: 'string',
  description: 'The position after this page: send it as `cursor` with the same parameters, now or later.',
};

const hasMore = { type: 'boolean', description: 'Whether there are more elements after this page now.' };

const totals = {
  total: {
    type: 'integer',
    minimum: 0,
    description: 'Present with `count=true`: how many elements there are in all, counted up to a limit.',
  },
  total_exact: {
    type: 'boolean',
    description: 'Present with `count=true`: whether `total` is all. False where there are more.',
  },
};

const emptyBody: ApiBodyOptions = {
  description:
    'An empty JSON object, or nothing. The service reads nothing from it, but requires its Content-Type.',
  required: false,
  schema: { type: 'object' },
  examples: { empty: { summary: 'Empty', value: {} } },
};

function errorsOf(
  { errors = {} }: OperationDescription,
  isGet: boolean,
  access: Access | undefined,
  metadata: (key: string) => unknown,
): Readonly<Partial<Record<ErrorStatus, string>>> {
  const statuses: ErrorStatus[] = [400, 408, 431, 500];
  if (access?.to !== 'everyone') statuses.push(401, 502);
  if (access?.to === 'keys of a mode' || access?.to === 'keys with permissions') statuses.push(403);
  if (metadata(RATE_LIMITED) === true) statuses.push(429);
  if (!isGet) statuses.push(413, 415);
  return { ...Object.fromEntries(statuses.map((status) => [status, errorMeanings[status]])), ...errors };
}
