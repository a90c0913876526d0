import createFetchClient from 'openapi-fetch';
import { ApiError, UnexpectedAnswer } from './errors';
import { exactResponse } from './exact-integers';
import type { AnswerFacts, CallOptions, ClientOptions } from './options';
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
    { signal, retry, requestId = newRequestId(), onAnswer }: CallOptions,
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
      ...(signal && { signal }),
      fetch: async (request) => {
        const response = await send(this.transport, request, requestId, retry ?? repeatable);
        status = response.status;
        return hasSums && this.options.bigSums === true ? exactResponse(response) : response;
      },
    });
    let outcome: Outcome<Body>;
    try {
      outcome = await operation(api);
    } catch (error) {
      // Only a body that is not JSON ends up here beside errors of our own.
      if (error instanceof SyntaxError) throw new UnexpectedAnswer(status, requestId, error);
      throw error;
    }
    const { response, data, error } = outcome;
    const facts = factsOf(response, requestId);
    const isEmpty = response.status === 204 || response.status === 304;
    // A proxy without a service behind it answers 503 as well.
    if (answers.includes(response.status) && (isEmpty || hasData(error))) {
      onAnswer?.(facts);
      return (isEmpty ? undefined : error) as Body; // Described as answers.
    }
    if (data !== undefined && typeof data === 'object' && isOf(mediaType, response)) {
      onAnswer?.(facts);
      return data;
    }
    if (!isErrorAnswer(error)) throw new UnexpectedAnswer(response.status, facts.requestId);
    onAnswer?.(facts);
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

/** Whether an answer is of a media type. JSON needs no look: it has been parsed. */
function isOf(mediaType: string | undefined, { headers }: Response): boolean {
  return mediaType === undefined || (headers.get('content-type') ?? '').startsWith(mediaType);
}

function factsOf({ status, headers }: Response, sentId: string): AnswerFacts {
  const [, etag] = /^(?:W\/)?"(.*)"$/.exec(headers.get('etag') ?? '') ?? [];
  return {
    status,
    requestId: headers.get('x-request-id') ?? sentId,
    replayed: headers.get('idempotent-replayed') === 'true',
    ...(etag !== undefined && { etag }),
  };
}

function hasData(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'data' in value && typeof value.data === 'object';
}

function isErrorAnswer(value: unknown): value is components['schemas']['ErrorAnswer'] {
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
