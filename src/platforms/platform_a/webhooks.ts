import { Injectable } from '@nestjs/common';
import { ownText } from '@app/mapper';
import type { ConnectionName } from '../connector';
import { PlatformUnavailable } from '../platform-error';
import {
  PlatformWebhooks,
  type CallForm,
  type PlatformSubscription,
  type SubscriptionOrder,
} from '../webhooks';
import { LiveAccess } from '../live/live-access';
import { HookCalls, idIn } from './hook-calls';
import { recordsNamed, wantedTriggers } from './triggers';

/** The namespace of all hooks of this service. It does not touch those of other programs. */
const NAMESPACE = 'construction-data';

const TOPIC = 'records';

/**
 * Webhooks of platform_a: one hook for a company, with a trigger for each kind of event. Hooks do not expire. The
 * platform sends the secret in the `Authorization` header, which it was given with the hook.
 */
@Injectable()
export class PlatformAWebhooks extends PlatformWebhooks {
  override readonly topics = [TOPIC];

  override readonly form: CallForm = {
    unproven: 'refuse',
    challenge: undefined,
    secretIn: 'authorization',
    secretsIn: () => [],
    recordsIn: recordsNamed,
  };

  constructor(private readonly access: LiveAccess) {
    super();
  }

  override async list(
    connection: ConnectionName,
    signal: AbortSignal,
  ): Promise<readonly PlatformSubscription[]> {
    const calls = await HookCalls.open(this.access, connection, signal);
    const hooks = (await calls.hooks()).filter((hook) => ownText(hook, 'namespace') === NAMESPACE);
    const found: PlatformSubscription[] = [];
    for (const hook of hooks) {
      const [id, url] = [idIn(hook, 'id'), ownText(hook, 'destination_url')];
      if (id === undefined || url === undefined) continue;
      // An administrator of the company may have removed them.
      const topic = (await calls.triggers(id)).length > 0 ? TOPIC : undefined;
      found.push({ id, url, topic, expiresAt: undefined });
    }
    return found;
  }

  override async subscribe(
    connection: ConnectionName,
    { url, secret }: SubscriptionOrder,
    signal: AbortSignal,
  ): Promise<void> {
    const calls = await HookCalls.open(this.access, connection, signal);
    const triggers = wantedTriggers(await calls.resources());
    if (triggers.length === 0) {
      throw new PlatformUnavailable('platform_a', undefined, 'offers no webhooks for what is read');
    }
    const hook = await calls.createHook({
      api_version: 'v2',
      namespace: NAMESPACE,
      destination_url: url,
      destination_headers: { Authorization: `Bearer ${secret}` },
    });
    const id = idIn(hook, 'id');
    if (id === undefined) throw new PlatformUnavailable('platform_a', 201, 'made a webhook without ID');
    await calls.createTriggers(id, triggers);
    if ((await calls.triggers(id)).length > 0) return;
    await calls.deleteHook(id);
    throw new PlatformUnavailable('platform_a', undefined, 'took none of the triggers of a webhook');
  }

  /** They have no end. */
  override async renew(): Promise<void> {
    // Nothing to do.
  }

  override async unsubscribe(
    connection: ConnectionName,
    { id }: PlatformSubscription,
    signal: AbortSignal,
  ): Promise<void> {
    await (await HookCalls.open(this.access, connection, signal)).deleteHook(id);
  }
}
