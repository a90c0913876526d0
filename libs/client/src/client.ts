import createFetchClient from 'openapi-fetch';
import { randomBytes } from 'node:crypto';
import { ApiError, UnexpectedAnswer } from './errors';
import { readRetryAfter, standardRetries, type RetryPolicy } from './retry';
import type { components, operations, paths } from './schema';
import { send, standardTransport, type Transport } from './transport';

type Schemas = components['schemas'];
type Answer<Operation extends keyof operations> = operations[Operation]['responses'] extends {
  200: { content: { 'application/json': infer Body } };
}
  ? Body
  : never;
type Data<Operation extends keyof operations> =
  Answer<Operation> extends { data: infer Inner } ? Inner : never;

export type Platform = Schemas['ConnectDto']['platform'];
export type StoredEntityType = operations['listObjects']['parameters']['query']['entity_type'];
export type Change = Schemas['CanonicalChange'] | Schemas['PlatformChange'];
export type TransformRequest = Schemas['TransformDto'];

/** What a client needs to know. */
export interface ClientOptions {
  /** Address of the service, without a path: `https://translate.example.org`. */
  readonly baseUrl: string;
  /** The key to call with; without one, only health and opening a demo session work. */
  readonly apiKey?: string;
  /** When calls are tried again that did not reach the service, or met 429, 502 or 503. */
  readonly retries?: Partial<RetryPolicy>;
  /** Milliseconds that one try may take; 30 s by default. A connect of a large platform takes longer. */
  readonly timeout?: number;
  /** Replaces the global fetch. */
  readonly fetch?: Transport['fetch'];
  /** Replaces waiting between tries. */
  readonly wait?: Transport['wait'];
}

/** What one call may say. */
export interface CallOptions {
  /** Ends the call. */
  readonly signal?: AbortSignal;
  /** Whether it may be sent again; by default what is read, previewed, connected or deleted may, and other changes not. */
  readonly retry?: boolean;
  /** Sent as X-Request-ID: `req_` and 8 to 64 letters or digits. By default a new one for each call. */
  readonly requestId?: string;
}

const STANDARD_TIMEOUT = 30_000;

/** The API, typed by its description. Every call resolves to its data, or throws a ClientError with a request ID. */
export class TranslationClient {
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

  /** The same client with another key. */
  withKey(apiKey: string): TranslationClient {
    return new TranslationClient({ ...this.options, apiKey });
  }

  /** Whether the service can do its work. A degraded service is an answer, not an error. */
  async health(call: CallOptions = {}): Promise<Data<'getHealth'>> {
    const { data } = await this.call(
      { retry: false, ...call },
      true,
      (api) => api.GET('/api/v1/health'),
      [503],
    );
    return data;
  }

  /** Opens a demo session; the answer shows its key this once. */
  async openDemoSession(call: CallOptions = {}): Promise<Data<'openDemoSession'>> {
    const { data } = await this.call(call, false, (api) => api.POST('/api/v1/demo/session', { body: {} }));
    return data;
  }

  /** Deletes the demo session of the key, with all of its data. */
  async closeDemoSession(call: CallOptions = {}): Promise<void> {
    await this.call<unknown>(call, true, (api) => api.DELETE('/api/v1/demo/session', { body: {} }));
  }

  /** Connects a platform, or synchronises it. */
  async connect(platform: Platform, call: CallOptions = {}): Promise<Data<'connectPlatform'>> {
    const { data } = await this.call(call, true, (api) =>
      api.POST('/api/v1/connect', { body: { platform } }),
    );
    return data;
  }

  /** The connected platforms. */
  async listConnections(call: CallOptions = {}): Promise<Data<'listConnections'>['connections']> {
    const { data } = await this.call(call, true, (api) => api.GET('/api/v1/connections'));
    return data.connections;
  }

  /** All records of one type on one platform. */
  async listObjects(
    platform: Platform,
    entityType: StoredEntityType,
    call: CallOptions = {},
  ): Promise<Data<'listObjects'>> {
    const query = { platform, entity_type: entityType };
    const { data } = await this.call(call, true, (api) => api.GET('/api/v1/objects', { params: { query } }));
    return data;
  }

  /** Changes a record everywhere. */
  async propagate(change: Change, call: CallOptions = {}): Promise<Data<'propagateChange'>> {
    const { data } = await this.call(call, false, (api) => api.POST('/api/v1/propagate', { body: change }));
    return data;
  }

  /** What became of a change by now; `propagation_id` of its answer names it. */
  async propagation(id: string, call: CallOptions = {}): Promise<Data<'getPropagation'>> {
    const { data } = await this.call(call, true, (api) =>
      api.GET('/api/v1/propagations/{id}', { params: { path: { id } } }),
    );
    return data;
  }

  /** Previews a translation. */
  transform(request: TransformRequest, call: CallOptions = {}): Promise<Answer<'transformRecord'>> {
    return this.call(call, true, (api) => api.POST('/api/v1/transform', { body: request }));
  }

  private async call<Body>(
    { signal, retry, requestId = newRequestId() }: CallOptions,
    repeatable: boolean,
    operation: (api: ReturnType<typeof createFetchClient<paths>>) => Promise<Outcome<Body>>,
    answers: readonly number[] = [],
  ): Promise<Body> {
    const { baseUrl, apiKey } = this.options;
    let status = 0;
    const api = createFetchClient<paths>({
      baseUrl: baseUrl.replace(/\/+$/, ''),
      headers: {
        'X-Request-ID': requestId,
        ...(apiKey !== undefined && { Authorization: `Bearer ${apiKey}` }),
      },
      ...(signal && { signal }),
      fetch: async (request) => {
        const response = await send(this.transport, request, requestId, retry ?? repeatable);
        status = response.status;
        return response;
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
    const id = response.headers.get('x-request-id') ?? requestId;
    if (response.status === 204) return undefined as Body; // The one operation without a body resolves to nothing.
    if (data !== undefined && typeof data === 'object') return data;
    if (answers.includes(response.status)) return error as Body; // Described as an answer of the same form.
    throw isErrorAnswer(error)
      ? new ApiError(
          error.error.type,
          response.status,
          error.error.message,
          id,
          readRetryAfter(response.headers.get('retry-after'), Date.now()),
        )
      : new UnexpectedAnswer(response.status, id);
  }
}

interface Outcome<Body> {
  readonly data?: Body;
  readonly error?: unknown;
  readonly response: Response;
}

function isErrorAnswer(value: unknown): value is Schemas['ErrorAnswer'] {
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
  return `req_${randomBytes(10).toString('hex')}`;
}
