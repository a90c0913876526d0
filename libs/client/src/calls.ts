import createFetchClient from 'openapi-fetch';
import { ApiError, UnexpectedResponse } from './errors';
import { exactResponse } from './exact-integers';
import type { ResponseFacts, CallOptions, ClientOptions } from './options';
import { readRetryAfter, standardRetries } from './retry';
import { randomHex } from './random-names';
import type { components, paths } from './schema';
import { send, standardTransport, type Transport } from './transport';

/** The generated functions of the API, for one call. */
export type Api = ReturnType<typeof createFetchClient<paths, 'application/json'>>;

/** What the client knows of an operation, beside its parameters. */
export interface Operation {
  /** Whether sending it twice does no harm. */
  readonly repeatable: boolean;
  /** Statuses that are answers beside a 2xx with a body: 204 and 304 have none, others one of the same form. */
  readonly answers?: readonly number[];
  /** The media type of its answer; JSON unless set. */
  readonly mediaType?: string;
  /** Whether its answer has sums, which may be beyond 2^53. */
  readonly hasSums?: boolean;
  /** Further request headers; those without a value are left out. */
  readonly headers?: Readonly<Record<string, string | undefined>>;
}

interface Outcome<Body> {
  readonly data?: Body;
  readonly error?: unknown;
  readonly response: Response;
}

const STANDARD_TIMEOUT = 30_000;

/** Makes calls with the client's key and retries, and tells answers from refusals. */
export class Calls {
  private readonly transport: Transport;

  constructor(private readonly options: ClientOptions) {
    this.transport = {
      ...standardTransport,
      retries: { ...standardRetries, ...options.retries },
      timeout: options.timeout ?? STANDARD_TIMEOUT,
      ...(options.fetch && { fetch: options.fetch }),
      ...(options.wait && { wait: options.wait }),
    };
  }

  /**
   * Makes one call. The body is undefined where the answer has none (204, 304).
   *
   * @throws ClientError
   */
  async make<Body>(
    { signal = new AbortController().signal, retry, requestId = newRequestId(), onResponse }: CallOptions,
    { repeatable, answers = [], mediaType, hasSums = false, headers = {} }: Operation,
    operation: (api: Api) => Promise<Outcome<Body>>,
  ): Promise<Body> {
    const { baseUrl, apiKey } = this.options;
    let status = 0;
    const api = createFetchClient<paths, 'application/json'>({
      baseUrl: baseUrl.replace(/(?<!\/)\/+$/, ''),
      headers: {
        ...given(headers),
        'X-Request-ID': requestId,
        ...(apiKey !== undefined && { Authorization: `Bearer ${apiKey}` }),
      },
      fetch: async (request) => {
        const response = await send(this.transport, request, signal, requestId, retry ?? repeatable);
        status = response.status;
        return hasSums && this.options.bigSums === true ? exactResponse(response) : response;
      },
    });
    let outcome: Outcome<Body>;
    try {
      outcome = await operation(api);
    } catch (error) {
      // Only a body that is not JSON ends up here beside errors of our own.
      if (error instanceof SyntaxError) throw new UnexpectedResponse(status, requestId, error);
      throw error;
    }
    const { response, data, error } = outcome;
    const facts = factsOf(response, requestId);
    const isResponse = answers.includes(response.status);
    if (isResponse && (response.status === 204 || response.status === 304)) {
      onResponse?.(facts);
      return undefined as Body; // Described as answers without a body.
    }
    // A proxy may answer with the same statuses, and with JSON of its own.
    const body = isResponse ? (error as Body | undefined) : data;
    if (body !== undefined && (mediaType === undefined ? hasData(body) : isOf(mediaType, response))) {
      onResponse?.(facts);
      return body;
    }
    if (!isErrorResponse(error)) throw new UnexpectedResponse(response.status, facts.requestId);
    onResponse?.(facts);
    const { type, message, details } = error.error;
    const retryAfter = readRetryAfter(response.headers.get('retry-after'), Date.now());
    throw new ApiError(type, response.status, message, facts.requestId, retryAfter, {
      conflicts: details?.conflicts ?? [],
      cases: details?.cases ?? [],
      replayed: facts.replayed,
    });
  }
}

/** The headers that have a value: a client is given none that is undefined. */
function given(headers: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}

/** Whether an answer is of a media type. */
function isOf(mediaType: string, { headers }: Response): boolean {
  return (headers.get('content-type') ?? '').startsWith(mediaType);
}

/** Whether a body is one of the API: each has the payload in `data`. */
function hasData(body: unknown): boolean {
  if (typeof body !== 'object' || body === null || !('data' in body)) return false;
  return typeof body.data === 'object' && body.data !== null;
}

function factsOf({ status, headers }: Response, sentId: string): ResponseFacts {
  const [, etag] = /^(?:W\/)?"(.*)"$/.exec(headers.get('etag') ?? '') ?? [];
  return {
    status,
    requestId: headers.get('x-request-id') ?? sentId,
    replayed: headers.get('idempotent-replayed') === 'true',
    ...(etag !== undefined && { etag }),
  };
}

function isErrorResponse(value: unknown): value is components['schemas']['ErrorResponse'] {
  if (typeof value !== 'object' || value === null || !('error' in value)) return false;
  const { error } = value;
  return (
    typeof error === 'object' &&
    error !== null &&
    'type' in error &&
    typeof error.type === 'string' &&
    'message' in error &&
    typeof error.message === 'string'
  );
}

function newRequestId(): string {
  return `req_${randomHex(10)}`;
}
