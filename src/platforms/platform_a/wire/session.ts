import { stringifyJson, type JsonObject } from '@app/mapper';
import { later } from '../../../runtime/clock/later';
import type { ConnectionName } from '../../connector';
import type { RequestSender } from '../../live/transport/platform-client';
import type { PlatformRequest } from '../../live/platform-request';
import type { PlatformResult } from '../../live/platform-result';
import type { PlatformASettings } from '../credentials';

/** Parameters of an address, in order; a name may come several times. */
export type Query = readonly (readonly [name: string, value: string])[];

/** The whole address of a path of the API. */
export function addressOf(
  { api_url: api }: Pick<PlatformASettings, 'api_url'>,
  path: string,
  query: Query,
): string {
  const parameters = new URLSearchParams(
    query.map(([name, value]): [string, string] => [name, value]),
  ).toString();
  return `${api}${path}${parameters === '' ? '' : `?${parameters}`}`;
}

/** A write to the platform. */
export interface WriteCall {
  readonly method: 'POST' | 'PATCH';
  readonly path: string;
  readonly query?: Query;
  readonly body: JsonObject;
}

/** The calls that one piece of work makes for one connection. */
export class Session {
  /** Calls that were sent so far, each attempt counted; and those that the platform refused because of its limits. */
  calls = 0;
  limited = 0;
  private firstResponse: Date | undefined;
  private readonly startedAt: Date;

  constructor(
    readonly connection: ConnectionName,
    readonly settings: Pick<PlatformASettings, 'api_url' | 'company_id' | 'currency' | 'projects'>,
    private readonly sender: RequestSender,
    readonly signal: AbortSignal,
    private readonly clock: () => Date,
  ) {
    this.startedAt = clock();
  }

  /** The time by the database's clock, so many milliseconds from now. */
  after(milliseconds: number): Date {
    return later(this.clock(), milliseconds);
  }

  /** When the platform answered first, by its own clock; by the database's, where it shows none. */
  get began(): Date {
    return this.firstResponse ?? this.startedAt;
  }

  /** The whole address of a path. */
  address(path: string, query: Query = []): string {
    return addressOf(this.settings, path, query);
  }

  /**
   * An address from the platform, with the host of the connection: a platform behind a proxy may use another name for
   * itself.
   *
   * @returns undefined if the text is no address
   */
  followed(link: string): string | undefined {
    const base = this.settings.api_url;
    if (!URL.canParse(link, base)) return undefined;
    const { pathname, search } = new URL(link, base);
    const { origin, pathname: prefix } = new URL(`${base}/`);
    // A platform behind a proxy does not know a path prefix that the proxy removes.
    const path = pathname.startsWith(prefix) ? pathname : `${prefix.slice(0, -1)}${pathname}`;
    return `${origin}${path}${search}`;
  }

  /** Reads an address. Resolves whatever the platform and the network do, and rejects as its sender does. */
  get(url: string): Promise<PlatformResult> {
    return this.send({ kind: 'read', method: 'GET', url });
  }

  /** Sends a write, once. */
  write({ method, path, query, body }: WriteCall): Promise<PlatformResult> {
    return this.send({
      kind: 'write',
      method,
      url: this.address(path, query),
      body: { type: 'json', text: stringifyJson(body) },
    });
  }

  private async send(
    request: Pick<PlatformRequest, 'kind' | 'method' | 'url' | 'body'>,
  ): Promise<PlatformResult> {
    const result = await this.sender.send({
      ...request,
      headers: { accept: 'application/json', 'procore-company-id': this.settings.company_id },
      signal: this.signal,
      attempted: (attempt) => this.count(attempt),
    });
    const date = result.kind === 'answered' ? Date.parse(result.response.headers['date'] ?? '') : NaN;
    if (!Number.isNaN(date)) this.firstResponse ??= new Date(date);
    return result;
  }

  private count(result: PlatformResult): void {
    this.calls += 1;
    if (result.kind === 'answered' && result.response.status === 429) this.limited += 1;
  }
}
