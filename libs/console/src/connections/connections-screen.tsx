import type { ReactNode } from 'react';
import { platforms, useConnections, useMay } from '../data/queries';
import { useSync } from '../parts/use-sync';
import { Loaded } from '../parts/loaded';
import { Page } from '../parts/page';
import { ConnectionCard } from './connection-card';
import { WebhookEndpoints } from './webhook-endpoints';

/** Where the records come from, when they were read, and what is missing; and where events go. */
export default function ConnectionsScreen(): ReactNode {
  const sync = useSync();
  const mayAdminister = useMay('administer');
  const connections = useConnections({ watch: sync.under !== undefined });
  return (
    <Page title="Connections">
      <Loaded query={connections} what="the connections" rows={6}>
        {(data) => (
          <div className="columns">
            {platforms.map((platform) => (
              <ConnectionCard
                key={platform}
                platform={platform}
                connection={data.find((one) => one.platform === platform)}
                sync={sync}
              />
            ))}
          </div>
        )}
      </Loaded>
      {mayAdminister && <WebhookEndpoints />}
    </Page>
  );
}
