import type { JsonObject } from '@app/mapper';
import { printedInstant } from '../model/instant';
import type { Route } from '../model/pages';

/** A subscription lives so long, unless it is renewed. */
export const LIFE = 3 * 24 * 3_600_000;

/** A client's subscription to changes. */
export interface Subscription {
  readonly id: string;
  readonly etag: string;
  readonly route: Route;
  readonly notificationUrl: string;
  /** As it was given: `/api/v2.0/companies(…)/customers`. */
  readonly resource: string;
  /** The page that the resource names. */
  readonly page: string;
  readonly clientState: string;
  /** Simulated time, milliseconds. */
  readonly expires: number;
  readonly modified: number;
}

/** A subscription as its page shows it. The client state is not shown. */
export function shownSubscription(subscription: Subscription): JsonObject {
  const { id, etag, notificationUrl, resource, modified, expires } = subscription;
  return {
    '@odata.etag': etag,
    subscriptionId: id,
    notificationUrl,
    resource,
    timestamp: 0,
    userId: '00000000-0000-0000-0000-000000000001',
    lastModifiedDateTime: printedInstant(new Date(modified)),
    clientState: '',
    expirationDateTime: printedInstant(new Date(expires)),
    systemCreatedAt: printedInstant(new Date(modified)),
    systemModifiedAt: printedInstant(new Date(modified)),
  };
}
