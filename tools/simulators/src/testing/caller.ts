import {
  isJsonArray,
  isJsonObject,
  parseJsonText,
  stringifyJson,
  type JsonObject,
  type JsonValue,
} from '@app/mapper';
import type { RunningPlatformA } from '../platform_a';

export interface ApiResponse {
  readonly status: number;
  readonly headers: Headers;
  /** The body as it came. */
  readonly text: string;
}

/** A plain HTTP caller of platform_a: it keeps no rule but the ones that every call needs. */
export class Caller {
  private token: string | undefined;

  constructor(readonly platform: RunningPlatformA) {}

  /** Gets a token with the client's credentials. */
  async login(): Promise<this> {
    const { client_id, client_secret } = this.platform.credentials;
    const answer = await this.post('/oauth/token', {
      grant_type: 'client_credentials',
      client_id,
      client_secret,
    });
    this.token = textIn(objectOf(answer), 'access_token');
    return this;
  }

  /** The same caller, with its token, before a platform that was started anew. */
  on(platform: RunningPlatformA): Caller {
    const other = new Caller(platform);
    other.token = this.token;
    return other;
  }

  use(token: string): void {
    this.token = token;
  }

  /** Asks the login host. */
  async post(path: string, body: JsonObject): Promise<ApiResponse> {
    return responseOf(
      await fetch(this.platform.loginUrl + path, {
        method: 'POST',
        body: stringifyJson(body),
        headers: { 'content-type': 'application/json' },
      }),
    );
  }

  /** Asks the API host; headers that are set to "" are left out. */
  async call(
    method: string,
    path: string,
    body?: JsonValue,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<ApiResponse> {
    const all: Record<string, string> = {
      authorization: `Bearer ${this.token ?? ''}`,
      'procore-company-id': this.platform.credentials.company_id,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    };
    return responseOf(
      await fetch(path.startsWith('http') ? path : this.platform.apiUrl + path, {
        method,
        headers: Object.fromEntries(Object.entries(all).filter(([, value]) => value !== '')),
        ...(body === undefined ? {} : { body: typeof body === 'string' ? body : stringifyJson(body) }),
      }),
    );
  }

  get(path: string): Promise<ApiResponse> {
    return this.call('GET', path);
  }

  /** Reads a list by its links, to the end. */
  async pages(
    path: string,
  ): Promise<{ readonly rows: readonly JsonObject[]; readonly answers: readonly ApiResponse[] }> {
    const answers: ApiResponse[] = [];
    const rows: JsonObject[] = [];
    for (let next: string | undefined = path; next !== undefined;) {
      const answer: ApiResponse = await this.get(next);
      answers.push(answer);
      rows.push(...listOf(answer));
      next = linkOf(answer, 'next');
    }
    return { rows, answers };
  }
}

/** The target of a link of a page; undefined when it has none of the name. */
export function linkOf({ headers }: ApiResponse, rel: string): string | undefined {
  const links = (headers.get('link') ?? '').split(', ');
  return links.map((link) => /^<([^>]*)>; rel="(\w+)"$/.exec(link)).find((found) => found?.[2] === rel)?.[1];
}

export function listOf(answer: ApiResponse): readonly JsonObject[] {
  const value = jsonOf(answer);
  if (!isJsonArray(value) || !value.every(isJsonObject))
    throw new Error(`No list: ${answer.status} ${answer.text}`);
  return value;
}

export function objectOf(answer: ApiResponse): JsonObject {
  const value = jsonOf(answer);
  if (!isJsonObject(value)) throw new Error(`No object: ${answer.status} ${answer.text}`);
  return value;
}

export function jsonOf({ text }: ApiResponse): JsonValue {
  return parseJsonText(text);
}

export function textIn(record: JsonObject, member: string): string {
  const value = record[member];
  if (typeof value !== 'string') throw new Error(`${member} is no text`);
  return value;
}

async function responseOf(response: Response): Promise<ApiResponse> {
  return { status: response.status, headers: response.headers, text: await response.text() };
}
