import type { WebhookEndpoint } from '@app/client';

/** The name of the endpoints among what was read. */
export const endpointsKey = ['webhook-endpoints'] as const;

/** How it stands with an endpoint: a mark, and words beside it. */
export function stateOf({
  enabled,
  disabled_reason: reason,
  failing_since: since,
}: Pick<WebhookEndpoint, 'enabled' | 'disabled_reason' | 'failing_since'>): {
  readonly mark: string;
  readonly words: string;
} {
  if (!enabled) {
    return reason === null
      ? { mark: '○', words: 'switched off' }
      : { mark: '▲', words: `disabled by the service: ${reason}` };
  }
  return since === null ? { mark: '●', words: 'active' } : { mark: '▲', words: 'failing' };
}
