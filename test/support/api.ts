import { checkDescribed } from './described-calls';

/** What came back. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The text as JSON, undefined when it is empty. Tests look into it freely. */
  readonly body: ReturnType<typeof JSON.parse>;
}

export interface Request {
  readonly headers?: Record<string, string>;
  /** Sent as it is when it is text or bytes, as JSON otherwise. */
  readonly body?: unknown;
}

/**
 * Calls of the API under one key, or none. Paths are relative to `/api/v1`. An answer that leaves the description of
 * the API is thrown as an error, and so is a request that the service takes and the description does not allow.
 */
export function api(url: string, key?: string) {
  const send = async (
    method: string,
    path: string,
    { headers = {}, body }: Request = {},
  ): Promise<Answer> => {
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
    const answer: Answer = {
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
