import { Injectable } from '@nestjs/common';
import {
  isJsonArray,
  isJsonObject,
  ownMember,
  ownText,
  stringifyJson,
  type JsonObject,
  type JsonValue,
  type StoredEntityType,
} from '@app/mapper';
import type { ConnectionName, NamedRecord } from '../connector';
import { PlatformUnavailable } from '../platform-error';
import {
  PlatformWebhooks,
  type CallForm,
  type PlatformSubscription,
  type SubscriptionOrder,
} from '../webhooks';
import { LiveAccess, type OpenConnection } from '../live/live-access';
import { isAnswered, jsonOf, successOf } from '../live/transport/json-response';
import type { PlatformRequest } from '../live/platform-request';
import { platformBAccess } from './access';
import { companyUrl, isGuid } from './addresses';
import type { PlatformBSettings } from './credentials';

const PLATFORM = 'platform_b';

/** The pages that can be subscribed to, with the types of their records. */
const types: ReadonlyMap<string, StoredEntityType> = new Map([
  ['customers', 'customer'],
  ['salesOrders', 'contract'],
  ['salesInvoices', 'invoice'],
]);

/** Characters of the longest address of a record that is looked at. */
const LONGEST_RESOURCE = 500;

/** The end of the address of one record. */
const RECORD = /\/(\w+)\(([^/()]+)\)$/;

/** Pages of subscriptions that are followed; an environment has two hundred subscriptions at most. */
const MOST_PAGES = 20;

/**
 * Subscriptions of platform_b: one for each page, for three days. The platform verifies the address before a
 * subscription begins or is renewed. A refusal ends a subscription, so calls without proof get the same response as
 * others. There are no subscriptions to projects and payments.
 */
@Injectable()
export class PlatformBWebhooks extends PlatformWebhooks {
  override readonly topics = [...types.keys()];

  override readonly form: CallForm = {
    unproven: 'ignore',
    challenge: 'validationToken',
    secretIn: 'body',
    secretsIn: statesIn,
    recordsIn: recordsNamed,
  };

  constructor(private readonly access: LiveAccess) {
    super();
  }

  override async list(
    connection: ConnectionName,
    signal: AbortSignal,
  ): Promise<readonly PlatformSubscription[]> {
    const open = await this.access.open(connection, platformBAccess);
    const found: PlatformSubscription[] = [];
    let url: string | undefined = subscriptionsUrl(open);
    for (let page = 0; page < MOST_PAGES && url !== undefined; page += 1) {
      const result = await open.sender.send({ kind: 'read', method: 'GET', url, headers, signal });
      const body = jsonOf(PLATFORM, result);
      const value = isJsonObject(body) ? ownMember(body, 'value') : undefined;
      if (!isJsonObject(body) || !isJsonArray(value)) {
        throw new PlatformUnavailable(PLATFORM, 200, 'listed its webhooks in another form');
      }
      found.push(...value.filter(isJsonObject).flatMap(subscriptionIn));
      url = ownText(body, '@odata.nextLink');
    }
    return found;
  }

  override async subscribe(
    connection: ConnectionName,
    { topic, url, secret }: SubscriptionOrder,
    signal: AbortSignal,
  ): Promise<void> {
    const open = await this.access.open(connection, platformBAccess);
    const resource = `/api/v2.0/companies(${await companyId(open, signal)})/${topic}`;
    await send(open, {
      method: 'POST',
      url: subscriptionsUrl(open),
      body: json({ notificationUrl: url, resource, clientState: secret }),
      signal,
    });
  }

  override async renew(
    connection: ConnectionName,
    { id, url, version }: PlatformSubscription,
    signal: AbortSignal,
  ): Promise<void> {
    const open = await this.access.open(connection, platformBAccess);
    // Without the client state, which stays as it is: only its hash is known here.
    await send(open, {
      method: 'PATCH',
      url: subscriptionUrl(open, id),
      headers: { 'if-match': version ?? '*' },
      body: json({ notificationUrl: url }),
      signal,
    });
  }

  override async unsubscribe(
    connection: ConnectionName,
    { id, version }: PlatformSubscription,
    signal: AbortSignal,
  ): Promise<void> {
    const open = await this.access.open(connection, platformBAccess);
    const result = await open.sender.send({
      kind: 'write',
      method: 'DELETE',
      url: subscriptionUrl(open, id),
      headers: { ...headers, 'if-match': version ?? '*' },
      signal,
    });
    if (!isAnswered(result, 404)) successOf(PLATFORM, result);
  }
}

const headers = { accept: 'application/json', 'accept-language': 'en-US' };

async function send(
  { sender }: OpenConnection<PlatformBSettings>,
  request: Omit<PlatformRequest, 'kind'>,
): Promise<void> {
  successOf(
    PLATFORM,
    await sender.send({ ...request, kind: 'write', headers: { ...headers, ...request.headers } }),
  );
}

const json = (body: JsonObject): PlatformRequest['body'] => ({ type: 'json', text: stringifyJson(body) });

function subscriptionsUrl({ settings }: OpenConnection<PlatformBSettings>): string {
  return `${settings.api_url}/subscriptions`;
}

function subscriptionUrl(open: OpenConnection<PlatformBSettings>, id: string): string {
  return `${subscriptionsUrl(open)}('${encodeURIComponent(id.replaceAll("'", "''"))}')`;
}

/** The ID of the company, looked up if the settings have its name: a subscription's resource contains the ID. */
async function companyId(
  { settings, sender }: OpenConnection<PlatformBSettings>,
  signal: AbortSignal,
): Promise<string> {
  if (isGuid(settings.company_id)) return settings.company_id;
  const url = companyUrl(settings);
  const body = jsonOf(PLATFORM, await sender.send({ kind: 'read', method: 'GET', url, headers, signal }));
  const id = isJsonObject(body) ? ownText(body, 'id') : undefined;
  if (id !== undefined && isGuid(id)) return id;
  throw new PlatformUnavailable(PLATFORM, 200, 'showed its company without an ID');
}

function subscriptionIn(row: JsonObject): readonly PlatformSubscription[] {
  const id = ownText(row, 'subscriptionId') ?? ownText(row, 'id');
  const url = ownText(row, 'notificationUrl');
  if (id === undefined || url === undefined) return [];
  const expires = Date.parse(ownText(row, 'expirationDateTime') ?? '');
  const version = ownText(row, '@odata.etag');
  return [
    {
      id,
      url,
      topic: /\/(\w+)$/.exec(ownText(row, 'resource') ?? '')?.[1],
      // A subscription without a readable end counts as ended, so it is renewed at once.
      expiresAt: new Date(Number.isNaN(expires) ? 0 : expires),
      ...(version !== undefined && { version }),
    },
  ];
}

/** Each notice has the state of its subscription, and a call has notices of several. */
function statesIn(body: JsonValue): readonly string[] {
  const value = isJsonObject(body) ? ownMember(body, 'value') : undefined;
  if (!isJsonArray(value)) return [];
  const states = value.filter(isJsonObject).flatMap((notice) => ownText(notice, 'clientState') ?? []);
  return [...new Set(states)];
}

/** Each notice has the address of a record, or of a page when too much has changed to name it. */
function recordsNamed(body: JsonValue): readonly NamedRecord[] {
  const value = isJsonObject(body) ? ownMember(body, 'value') : undefined;
  if (!isJsonArray(value)) return [];
  return value.filter(isJsonObject).flatMap((notice) => {
    const resource = ownText(notice, 'resource') ?? '';
    if (resource.length > LONGEST_RESOURCE || ownText(notice, 'changeType') === 'deleted') return [];
    const [, page = '', id = ''] = RECORD.exec(resource) ?? [];
    const entityType = types.get(page);
    return entityType !== undefined && isGuid(id) ? [{ entityType, platformId: id }] : [];
  });
}
