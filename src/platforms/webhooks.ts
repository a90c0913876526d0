import type { JsonValue, PlatformName } from '@app/mapper';
import type { ConnectionName, NamedRecord } from './connector';

/** What a platform has been asked to tell somebody. */
export interface PlatformSubscription {
  /** The platform's own. */
  readonly id: string;
  /** Where it calls. */
  readonly url: string;
  /** One of the platform's topics; undefined for one that tells nothing of use. */
  readonly topic: string | undefined;
  /** When the platform forgets it; undefined when it does not. */
  readonly expiresAt: Date | undefined;
  /** Its version, where the platform wants that for a change. */
  readonly version?: string;
}

/** A subscription to be made. */
export interface SubscriptionOrder {
  readonly topic: string;
  readonly url: string;
  /** Comes with every call. Nothing else proves who calls. */
  readonly secret: string;
}

/** How the calls of a platform look, as far as a receiver has to know. */
export interface CallForm {
  /** What a call without proof is answered: a refusal, or what any other is, where a refusal ends the subscription. */
  readonly unproven: 'refuse' | 'ignore';
  /** The parameter of the query that the platform wants back to see that the address is ours; undefined where it does not ask. */
  readonly challenge: string | undefined;
  /** Where a secret is. Those in a body are found by {@link CallForm.secretsIn}. */
  readonly secretIn: 'authorization' | 'body';
  /** The secrets in a body: a call may be about several subscriptions. */
  secretsIn(body: JsonValue): readonly string[];
  /**
   * The records that a call names as made or changed: those that readings bring, with IDs of the platform's form. Deletions
   * are left out, since one look does not show that a record is gone.
   */
  recordsIn(body: JsonValue): readonly NamedRecord[];
}

/**
 * How a platform is asked to call us when something changes there. Everything is over HTTP, within the platform's limits.
 * All but the form throw PlatformError when the platform does not do it, and ApiError when there are no credentials.
 */
export abstract class PlatformWebhooks {
  /** What can be subscribed to. Each is a subscription of its own. */
  abstract readonly topics: readonly string[];

  abstract readonly form: CallForm;

  /** The subscriptions that the platform has, those of others included where it shows them. */
  abstract list(connection: ConnectionName, signal: AbortSignal): Promise<readonly PlatformSubscription[]>;

  /** Makes one. The platform may ask the address for the handshake before this ends. */
  abstract subscribe(
    connection: ConnectionName,
    order: SubscriptionOrder,
    signal: AbortSignal,
  ): Promise<void>;

  /** Makes one last longer. The platform may ask for the handshake again. */
  abstract renew(
    connection: ConnectionName,
    subscription: PlatformSubscription,
    signal: AbortSignal,
  ): Promise<void>;

  /** Ends one. Does nothing when it is gone. */
  abstract unsubscribe(
    connection: ConnectionName,
    subscription: PlatformSubscription,
    signal: AbortSignal,
  ): Promise<void>;
}

/** The platforms that can tell of changes. */
export type WebhooksOfPlatforms = ReadonlyMap<PlatformName, PlatformWebhooks>;

/** Token of {@link WebhooksOfPlatforms}. */
export const WEBHOOKS_OF_PLATFORMS: unique symbol = Symbol('WEBHOOKS_OF_PLATFORMS');
