import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { collectDefaultMetrics } from 'prom-client';
import type { Environment } from '../config/environment';
import type { Logger } from '../logging/logger';
import type { Metrics } from './metrics';

/** Serves the metrics over HTTP, on a separate port that clients of the API cannot reach. */
export interface MetricsServer {
  /** Undefined if the port could not be opened. */
  readonly address: AddressInfo | undefined;
  close(): Promise<void>;
}

/**
 * Serves `/metrics` in Prometheus' text format, including those of the process (memory, processor time, event loop
 * delay). If the port cannot be opened, the error is logged and the service runs without metrics.
 */
export async function serveMetrics(
  metrics: Metrics,
  { host }: Pick<Environment, 'host'>,
  port: number,
  logger: Logger,
): Promise<MetricsServer> {
  const server = createServer(answer(metrics, logger));
  try {
    await listening(server, port, host);
  } catch (error) {
    logger.warn(
      { err: error, port },
      'Metrics are not served: the port cannot be opened; set METRICS_PORT to another',
    );
    return { address: undefined, close: () => Promise.resolve() };
  }
  // A failure to accept a connection must not end the process.
  server.on('error', (error) => logger.error({ err: error }, 'A connection to the metrics was not accepted'));
  collectDefaultMetrics({ register: metrics.registry });
  return {
    address: server.address() as AddressInfo, // A listening TCP server has an address.
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function answer({ registry }: Metrics, logger: Logger): RequestListener {
  return (request, response) => {
    const path = request.url?.split('?')[0];
    if (path !== '/metrics' || (request.method !== 'GET' && request.method !== 'HEAD')) {
      response.writeHead(404, { 'Content-Type': 'text/plain' }).end('GET /metrics\n');
      return;
    }
    registry.metrics().then(
      (text) => response.writeHead(200, { 'Content-Type': registry.contentType }).end(text),
      (error: unknown) => {
        logger.error({ err: error }, 'The metrics could not be read');
        response.writeHead(500).end();
      },
    );
  };
}

function listening(server: Server, port: number, host: string | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ port, ...(host !== undefined && { host }) }, () => {
      server.off('error', reject);
      resolve();
    });
  });
}
