import {
  isJsonArray,
  isJsonObject,
  ownMember,
  stringifyJson,
  type JsonObject,
  type JsonValue,
} from '@app/mapper';
import type { ConnectionName } from '../connector';
import { PlatformUnavailable } from '../platform-error';
import type { LiveAccess, OpenConnection } from '../live/live-access';
import { isAnswered, jsonOf, successOf } from '../live/transport/json-response';
import type { PlatformRequest } from '../live/platform-request';
import type { PlatformResult } from '../live/platform-result';
import { platformAAccess } from './access';
import type { PlatformASettings } from './credentials';
import type { Trigger } from './triggers';
import { nextIn } from './wire/link-header';

const PLATFORM = 'platform_a';
const HOOKS = '/rest/v1.0/webhooks/hooks';
const PAGE = 100;
/** Pages of hooks that are looked through. */
const MOST_PAGES = 20;

/** The calls that manage hooks of a company. All throw PlatformError when the platform does not do it. */
export class HookCalls {
  private constructor(
    private readonly open: OpenConnection<PlatformASettings>,
    private readonly signal: AbortSignal,
  ) {}

  static async open(from: LiveAccess, connection: ConnectionName, signal: AbortSignal): Promise<HookCalls> {
    return new HookCalls(await from.open(connection, platformAAccess), signal);
  }

  /** What events there are. */
  async resources(): Promise<JsonValue> {
    return jsonOf(PLATFORM, await this.get('/rest/v1.0/webhooks/resources'));
  }

  async hooks(): Promise<readonly JsonObject[]> {
    const found: JsonObject[] = [];
    for (let page = 1; page <= MOST_PAGES; page += 1) {
      const result = await this.get(HOOKS, { per_page: String(PAGE), page: String(page) });
      found.push(...rowsIn(result));
      // A list without a `Link` header has only one page, whatever page was requested.
      const link = result.kind === 'answered' ? result.response.headers['link'] : undefined;
      if (nextIn(link) === undefined) break;
    }
    return found;
  }

  async triggers(hook: string): Promise<readonly JsonObject[]> {
    return rowsIn(await this.get(`${HOOKS}/${encodeURIComponent(hook)}/triggers`));
  }

  async createHook(hook: JsonObject): Promise<JsonObject> {
    const body: JsonObject = { company_id: this.companyId, hook };
    const made = jsonOf(PLATFORM, await this.post(HOOKS, body));
    return isJsonObject(made) ? made : {};
  }

  /**
   * Creates the triggers of a hook: together, or one by one if the platform does not accept that. Triggers that it
   * refuses are left out; the daily reading finds the changes that they would have reported.
   */
  async createTriggers(hook: string, triggers: readonly Trigger[]): Promise<void> {
    const path = `${HOOKS}/${encodeURIComponent(hook)}/triggers`;
    const bodies = triggers.map(({ resource, event }) => ({ resource_name: resource, event_type: event }));
    const together = await this.post(`${path}/bulk`, { api_version: 'v2', triggers: bodies });
    if (together.kind !== 'answered') successOf(PLATFORM, together);
    if ((await this.triggers(hook)).length > 0) return;
    for (const trigger of bodies) {
      const result = await this.post(path, { api_version: 'v2', trigger });
      if (result.kind !== 'answered' || result.response.status >= 500 || result.response.status === 429) {
        successOf(PLATFORM, result);
      }
    }
  }

  /** Does nothing when the hook is gone. */
  async deleteHook(hook: string): Promise<void> {
    const result = await this.send({
      kind: 'write',
      method: 'DELETE',
      url: this.url(`${HOOKS}/${encodeURIComponent(hook)}`),
    });
    if (!isAnswered(result, 404)) successOf(PLATFORM, result);
  }

  /** A number where it is one, as the platform writes it. */
  private get companyId(): JsonValue {
    const { company_id: id } = this.open.settings;
    return Number.isSafeInteger(Number(id)) ? Number(id) : id;
  }

  private get(path: string, query: Readonly<Record<string, string>> = {}): Promise<PlatformResult> {
    return this.send({ kind: 'read', method: 'GET', url: this.url(path, query) });
  }

  private post(path: string, body: JsonObject): Promise<PlatformResult> {
    const text = stringifyJson(body);
    return this.send({ kind: 'write', method: 'POST', url: this.url(path), body: { type: 'json', text } });
  }

  private send(request: Omit<PlatformRequest, 'signal' | 'headers'>): Promise<PlatformResult> {
    const headers = { accept: 'application/json', 'procore-company-id': this.open.settings.company_id };
    return this.open.sender.send({ ...request, headers, signal: this.signal });
  }

  private url(path: string, query: Readonly<Record<string, string>> = {}): string {
    const { api_url: base, company_id } = this.open.settings;
    return `${base}${path}?${new URLSearchParams({ company_id, ...query }).toString()}`;
  }
}

/** The rows of a list. */
function rowsIn(result: PlatformResult): readonly JsonObject[] {
  const rows = jsonOf(PLATFORM, result);
  if (isJsonArray(rows)) return rows.filter(isJsonObject);
  throw new PlatformUnavailable(PLATFORM, 200, 'listed its webhooks in another form');
}

/** An ID as text, whether it is one or a number. */
export function idIn(row: JsonObject, name: string): string | undefined {
  const id = ownMember(row, name);
  if (typeof id === 'string') return id;
  return id === undefined || id === null || typeof id === 'boolean' ? undefined : stringifyJson(id);
}
