import type { StoredEndpoint } from './webhook-endpoints.repository';
import type { EndpointResponse } from './webhook-endpoints.response';

/** An endpoint in its public form. Pure. */
export function shownEndpoint(endpoint: StoredEndpoint): EndpointResponse {
  const { id, url, types, description, enabled } = endpoint;
  return {
    id,
    url,
    types,
    description,
    enabled,
    disabled_reason: endpoint.disabledReason,
    created_at: endpoint.createdAt,
    failing_since: endpoint.failingSince?.toISOString() ?? null,
    waiting: endpoint.openDeliveries,
  };
}
