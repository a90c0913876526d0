import { checkDescribed } from '../description/described-calls';

/** An answer of the API. */
export interface ApiResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The text as JSON; undefined if it is empty. Tests read any member of it. */
  readonly body: ReturnType<typeof JSON.parse>;
}

export interface Request {
  readonly headers?: Record<string, string>;
  /** Text and bytes are sent as they are, anything else as JSON. */
  readonly body?: unknown;
}

/**
 * A client of the API with one key, or without one. Paths are relative to `/api/v1`. An answer that does not match the
 * description of the API is thrown as an error. So is a request that the service accepts although the description does
 * not allow it.
 */
export function api(url: string, key?: string) {
  const send = async (
    method: string,
    path: string,
    { headers = {}, body }: Request = {},
  ): Promise<ApiResponse> => {
    const sent = {
      method,
      headers: new Headers({
        ...(key !== undefined && { Authorization: `Bearer ${key}` }),
        ...(method !== 'GET' && method !== 'HEAD' && { 'Content-Type': 'application/json' }),
        ...headers,
      }),
      body:
        body === undefined || typeof body === 'string' || body instanceof Uint8Array
          ? body
          : JSON.stringify(body),
    };
    const response = await fetch(`${url}/api/v1${path}`, sent);
    const text = await response.text();
    const answer: ApiResponse = {
      status: response.status,
      headers: response.headers,
      text,
      body: text === '' ? undefined : JSON.parse(text),
    };
    checkDescribed({ ...sent, path: `/api/v1${path}` }, answer);
    return answer;
  };
  return {
    send,
    get: (path: string, headers?: Record<string, string>) => send('GET', path, { headers }),
    post: (path: string, body: unknown = {}, headers?: Record<string, string>) =>
      send('POST', path, { body, headers }),
    delete: (path: string, headers?: Record<string, string>) => send('DELETE', path, { headers }),
  };
}
