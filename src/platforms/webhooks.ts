import type { JsonValue, PlatformName } from '@app/mapper';
import type { ConnectionName, NamedRecord } from './connector';

/** A subscription that exists at a platform. */
export interface PlatformSubscription {
  /** The platform's ID of the subscription. */
  readonly id: string;
  /** The address that the platform calls. */
  readonly url: string;
  /** The platform's topic; undefined for a topic that this service does not use. */
  readonly topic: string | undefined;
  /** The time at which the platform ends the subscription; undefined if it never does. */
  readonly expiresAt: Date | undefined;
  /** Its version, if the platform requires one for a change. */
  readonly version?: string;
}

/** A subscription to create. */
export interface SubscriptionOrder {
  readonly topic: string;
  readonly url: string;
  /** The platform sends it with every call. It is the only proof of the caller's identity. */
  readonly secret: string;
}

/** The form of a platform's webhook calls, as far as the receiver needs it. */
export interface CallForm {
  /** The response to a call without proof: a refusal, or the usual response if a refusal would end the subscription. */
  readonly unproven: 'refuse' | 'ignore';
  /**
   * The query parameter that the platform expects in the handshake's response; undefined for a platform without a
   * handshake.
   */
  readonly challenge: string | undefined;
  /** The place of the secret. {@link CallForm.secretsIn} finds secrets in a body. */
  readonly secretIn: 'authorization' | 'body';
  /** The secrets in a body. One call may concern several subscriptions. */
  secretsIn(body: JsonValue): readonly string[];
  /**
   * The records that a call names as created or changed, with IDs in the platform's form. Only types that readings
   * cover are returned. Deletions are omitted, because a single look does not prove that a record is gone.
   */
  recordsIn(body: JsonValue): readonly NamedRecord[];
}

/**
 * Manages the subscriptions of this service at a platform, over HTTP and within the platform's rate limits. All
 * methods throw PlatformError when the platform does not fulfil the request, and ApiError when there are no
 * credentials.
 */
export abstract class PlatformWebhooks {
  /** The topics. Each needs a subscription of its own. */
  abstract readonly topics: readonly string[];

  abstract readonly form: CallForm;

  /** Lists the subscriptions at the platform, including those of other programs if the platform shows them. */
  abstract list(connection: ConnectionName, signal: AbortSignal): Promise<readonly PlatformSubscription[]>;

  /** Creates a subscription. The platform may perform the handshake before this method returns. */
  abstract subscribe(
    connection: ConnectionName,
    order: SubscriptionOrder,
    signal: AbortSignal,
  ): Promise<void>;

  /** Renews a subscription. The platform may perform the handshake again. */
  abstract renew(
    connection: ConnectionName,
    subscription: PlatformSubscription,
    signal: AbortSignal,
  ): Promise<void>;

  /** Ends a subscription. Does nothing if it no longer exists. */
  abstract unsubscribe(
    connection: ConnectionName,
    subscription: PlatformSubscription,
    signal: AbortSignal,
  ): Promise<void>;
}

/** The platforms that support webhooks. */
export type WebhooksOfPlatforms = ReadonlyMap<PlatformName, PlatformWebhooks>;

/** Token of {@link WebhooksOfPlatforms}. */
export const WEBHOOKS_OF_PLATFORMS: unique symbol = Symbol('WEBHOOKS_OF_PLATFORMS');
