import type { WebhookEndpoint } from '@app/client';
import { useQueryClient } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { useApi } from '../data/api';
import { useTimeZone } from '../data/queries';
import { Confirm } from '../parts/dialogs/confirm';
import { TextField } from '../parts/dialogs/text-field';
import { endpointsKey } from './endpoint-state';

interface EndpointDialogProps {
  readonly endpoint: WebhookEndpoint;
  readonly onClose: () => void;
}

/** Asks before a disabled endpoint gets events again. */
export function EnableDialog({ endpoint, onClose }: EndpointDialogProps): ReactNode {
  const api = useApi();
  const readAgain = useReadAgain(onClose);
  return (
    <Confirm
      title="Enable the endpoint again?"
      act="Enable again"
      send={() => api.changeWebhookEndpoint(endpoint.id, { enabled: true })}
      done={() => `Events are delivered to ${endpoint.url} again.`}
      onDone={readAgain}
      onClose={onClose}
    >
      <p className="text">
        <code>{endpoint.url}</code> gets the events from where it stopped, as far as they are kept.
      </p>
    </Confirm>
  );
}

/** Asks from which day on events are sent once more. */
export function ResendDialog({ endpoint, onClose }: EndpointDialogProps): ReactNode {
  const api = useApi();
  const zone = useTimeZone();
  const readAgain = useReadAgain(onClose);
  const [since, setSince] = useState('');
  return (
    <Confirm
      title="Send events again?"
      act="Send again"
      send={() => api.resendWebhookEvents(endpoint.id, { since })}
      done={() => `The events since ${since} are sent to ${endpoint.url} again.`}
      onDone={readAgain}
      onClose={onClose}
    >
      <p className="text">
        <code>{endpoint.url}</code> gets all events of its types from a day on once more, with the same IDs.
      </p>
      <TextField
        label="Since"
        type="date"
        value={since}
        onChange={setSince}
        required
        hint={`From the start of this day in ${zone}.`}
      />
    </Confirm>
  );
}

/** What follows a change: the endpoints are read again, and the dialog closes. */
function useReadAgain(onClose: () => void): () => void {
  const queries = useQueryClient();
  return () => {
    void queries.invalidateQueries({ queryKey: endpointsKey });
    onClose();
  };
}
