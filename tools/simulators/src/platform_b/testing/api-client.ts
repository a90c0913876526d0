import { isJsonObject, parseJsonText, stringifyJson, type JsonObject } from '@app/mapper';
import { SimulatedClock } from '../../server';
import { startPlatformB, type PlatformBOptions, type RunningPlatformB } from '../platform-b';

/** An answer, its body parsed where it is JSON. Tests know what they asked for. */
export interface ApiResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // oxlint-disable-next-line typescript/no-explicit-any -- a test reads what it expects, and fails otherwise
  readonly body: any;
}

/** A platform with its clock at rest, and a client with a token. */
export interface Started extends RunningPlatformB {
  readonly company: string;
  /** Sends a request below the company, or to a whole address. */
  send(
    method: string,
    path: string,
    body?: JsonObject | string,
    headers?: Record<string, string>,
  ): Promise<ApiResponse>;
  get(path: string, headers?: Record<string, string>): Promise<ApiResponse>;
}

export const START = new Date('2026-11-21T10:00:00.500Z');

export async function startedPlatformB(options: PlatformBOptions = {}): Promise<Started> {
  const clock = options.clock ?? new SimulatedClock({ factor: 0, start: START });
  const platform = await startPlatformB({ ...options, clock });
  const token = await tokenOf(platform);
  const company = `${platform.apiUrl}/companies(${platform.credentials.company_id})`;
  const send: Started['send'] = async (method, path, body, headers = {}) => {
    const url = path.startsWith('http') ? path : `${company}/${path}`;
    const answer = await fetch(url, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: typeof body === 'string' ? body : stringifyJson(body) }),
    });
    return responseOf(answer);
  };
  return { ...platform, company, send, get: (path, headers) => send('GET', path, undefined, headers) };
}

export async function tokenOf(platform: RunningPlatformB): Promise<string> {
  const { client_id, client_secret, scope } = platform.credentials;
  const answer = await askToken(platform, {
    grant_type: 'client_credentials',
    client_id,
    client_secret,
    scope,
  });
  const token: unknown = isJsonObject(answer.body) ? answer.body.access_token : undefined;
  if (typeof token !== 'string') throw new Error('there is no token');
  return token;
}

export async function askToken(
  platform: RunningPlatformB,
  form: Record<string, string>,
): Promise<ApiResponse> {
  return responseOf(await fetch(platform.tokenUrl, { method: 'POST', body: new URLSearchParams(form) }));
}

async function responseOf(answer: Response): Promise<ApiResponse> {
  const text = await answer.text();
  const isJson = answer.headers.get('content-type')?.startsWith('application/json') ?? false;
  return {
    status: answer.status,
    headers: answer.headers,
    text,
    body: isJson ? parseJsonText(text) : undefined,
  };
}

/** A key of a record, which has to be there. */
export function keyOf(record: JsonObject | undefined, field = 'id'): string {
  const key = record?.[field];
  if (typeof key !== 'string') throw new Error(`no ${field}`);
  return key;
}

/** What is behind the `$` options of a query. */
export function query(options: Record<string, string>): string {
  return `?${Object.entries(options)
    .map(([name, value]) => `$${name}=${encodeURIComponent(value)}`)
    .join('&')}`;
}
