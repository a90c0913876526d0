import { isJsonArray, isJsonObject, ownMember, type JsonObject, type JsonValue } from '@app/mapper';
import type { Company } from './company/company';
import { restoreState, stateOf } from './company/state';
import type { Subscription } from './webhooks/subscription';
import type { Subscriptions } from './webhooks/subscriptions';

/** All that a file keeps over a restart. Tokens are not kept: clients ask for new ones. */
export function savedState(company: Company, subscriptions: Subscriptions): JsonObject {
  return {
    tables: stateOf(company),
    subscriptions: subscriptions.living().map((subscription) => ({ ...subscription })),
  };
}

/** Takes back what {@link savedState} has made. @throws Error for anything else */
export function restoreSaved(company: Company, subscriptions: Subscriptions, saved: JsonValue): void {
  if (!isJsonObject(saved)) throw new Error('the state file holds no state');
  restoreState(company, ownMember(saved, 'tables') ?? {});
  const list = ownMember(saved, 'subscriptions') ?? [];
  if (!isJsonArray(list)) throw new Error('the state file holds no subscriptions');
  subscriptions.restore(list.map(subscriptionFrom));
}

function subscriptionFrom(value: JsonValue): Subscription {
  if (!isJsonObject(value)) throw new Error('a subscription of the state file is no object');
  const text = (name: string): string => {
    const member = ownMember(value, name);
    if (typeof member !== 'string') throw new Error(`a subscription of the state file has no ${name}`);
    return member;
  };
  return {
    id: text('id'),
    etag: text('etag'),
    route: text('route') === 'custom' ? 'custom' : 'standard',
    notificationUrl: text('notificationUrl'),
    resource: text('resource'),
    page: text('page'),
    clientState: text('clientState'),
    expires: Number(ownMember(value, 'expires')),
    modified: Number(ownMember(value, 'modified')),
  };
}
