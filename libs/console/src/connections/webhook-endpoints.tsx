import type { WebhookEndpoint } from '@app/client';
import { useQuery } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { useApi } from '../data/api';
import { Loaded } from '../parts/loaded';
import { Table } from '../parts/tables/table';
import { Instant } from '../parts/values/instant';
import { countText } from '../parts/values/money-text';
import { EnableDialog, ResendDialog } from './endpoint-dialogs';
import { endpointsKey, stateOf } from './endpoint-state';

/** What the person is about to do with an endpoint. */
interface Act {
  readonly does: 'enable' | 'resend';
  readonly endpoint: WebhookEndpoint;
}

/** The addresses to which events are delivered, with those that fail. For keys that may `administer`. */
export function WebhookEndpoints(): ReactNode {
  const api = useApi();
  const endpoints = useQuery({
    queryKey: endpointsKey,
    queryFn: ({ signal }) => api.webhookEndpoints({ signal }),
  });
  const [act, setAct] = useState<Act>();
  const close = (): void => setAct(undefined);
  return (
    <section className="card" aria-labelledby="webhook-endpoints">
      <h2 id="webhook-endpoints">Webhook endpoints</h2>
      <Loaded query={endpoints} what="the webhook endpoints" rows={2}>
        {(data) => (
          <Table
            caption="Addresses to which events are delivered"
            label="Endpoints and their states"
            columns={[
              { name: 'Address', isHead: true, cell: ({ url }) => <code className="text">{url}</code> },
              { name: 'Types', cell: ({ types }) => (types.length === 0 ? 'all' : types.join(', ')) },
              { name: 'State', cell: (endpoint) => <State endpoint={endpoint} /> },
              { name: 'Last error', cell: (endpoint) => <LastError endpoint={endpoint} /> },
              { name: 'Change', cell: (endpoint) => <ActButton endpoint={endpoint} onAct={setAct} /> },
            ]}
            rows={data}
            keyOf={({ id }) => id}
            empty="No endpoint is registered. Programs register them with POST /webhook-endpoints."
          />
        )}
      </Loaded>
      {act?.does === 'enable' && <EnableDialog endpoint={act.endpoint} onClose={close} />}
      {act?.does === 'resend' && <ResendDialog endpoint={act.endpoint} onClose={close} />}
    </section>
  );
}

function State({ endpoint }: { readonly endpoint: WebhookEndpoint }): ReactNode {
  const { mark, words } = stateOf(endpoint);
  return (
    <>
      <span aria-hidden="true">{mark}</span> {words}
      {endpoint.failing_since !== null && (
        <div className="quiet">
          failing since <Instant at={endpoint.failing_since} />
        </div>
      )}
      {endpoint.waiting > 0 && (
        <div className="quiet">{countText(endpoint.waiting)} wait for another try</div>
      )}
    </>
  );
}

/** Why the last attempt came to nothing. An endpoint that works has none. */
function LastError({
  endpoint: { id, failing_since: since },
}: {
  readonly endpoint: WebhookEndpoint;
}): ReactNode {
  const api = useApi();
  const attempts = useQuery({
    queryKey: [...endpointsKey, id, since],
    queryFn: ({ signal }) => api.webhookDeliveries(id, { limit: 1 }, { signal }),
    enabled: since !== null,
  });
  const [last] = attempts.data?.data ?? [];
  if (since === null || last === undefined || last.outcome === 'delivered') return '–';
  return (
    <span className="text">
      {last.error ?? `answered ${last.status ?? 'nothing'}`} <Instant at={last.at} />
    </span>
  );
}

function ActButton({
  endpoint,
  onAct,
}: {
  readonly endpoint: WebhookEndpoint;
  readonly onAct: (act: Act) => void;
}): ReactNode {
  const does = endpoint.enabled ? 'resend' : 'enable';
  return (
    <button type="button" onClick={() => onAct({ does, endpoint })}>
      {does === 'resend' ? 'Send again …' : 'Enable again …'}
      <span className="hidden"> {endpoint.url}</span>
    </button>
  );
}
