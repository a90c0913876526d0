import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';
import type { FeedEvent } from '../customers/feed';

/** A delivery that was received, whatever the answer. */
export interface ReceivedDelivery {
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly event: FeedEvent;
}

/** An HTTP server on this machine that receives deliveries. */
export interface WebhookReceiver {
  readonly url: string;
  readonly deliveries: readonly ReceivedDelivery[];
  /** Sets the answer to deliveries. Without it the server answers 204 without a body. */
  answer(how: (response: ServerResponse, delivery: ReceivedDelivery) => void): void;
  /** Resolves when this number of deliveries has arrived, or when the condition holds. */
  until(enough: number | ((deliveries: readonly ReceivedDelivery[]) => boolean)): Promise<void>;
  /** Stops abruptly, as a killed program does, and starts again at the same address. */
  restart(): Promise<void>;
  close(): Promise<void>;
}

export async function startReceiver(host = '127.0.0.1'): Promise<WebhookReceiver> {
  const deliveries: ReceivedDelivery[] = [];
  const waiting = new Set<() => void>();
  let answer = (response: ServerResponse, _delivery: ReceivedDelivery): void => {
    response.writeHead(204).end();
  };
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const text = Buffer.concat(chunks).toString('utf8');
      const delivery = { headers: request.headers, text, event: JSON.parse(text) as FeedEvent };
      deliveries.push(delivery);
      answer(response, delivery);
      for (const look of waiting) look();
    });
  });
  server.listen(0, host);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const close = async (): Promise<void> => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  };
  return {
    url: `http://${host}:${port}/hook`,
    deliveries,
    answer: (how) => {
      answer = how;
    },
    until: (enough) =>
      new Promise((resolve) => {
        const isEnough = () =>
          typeof enough === 'number' ? deliveries.length >= enough : enough(deliveries);
        const look = (): void => {
          if (!isEnough()) return;
          waiting.delete(look);
          resolve();
        };
        waiting.add(look);
        look();
      }),
    restart: async () => {
      await close();
      server.listen(port, host);
      await once(server, 'listening');
    },
    close,
  };
}

/** Whether the reference library of Standard Webhooks verifies a delivery with a secret. */
export function isVerified(secret: string, { headers, text }: ReceivedDelivery): boolean {
  try {
    new Webhook(secret).verify(text, {
      'webhook-id': String(headers['webhook-id']),
      'webhook-timestamp': String(headers['webhook-timestamp']),
      'webhook-signature': String(headers['webhook-signature']),
    });
    return true;
  } catch {
    return false;
  }
}
