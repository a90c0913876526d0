import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { collectDefaultMetrics } from 'prom-client';
import type { Environment } from '../config/environment';
import type { Logger } from '../logging/logger';
import type { Metrics } from './metrics';

/** The metrics over HTTP, on a port of their own that clients of the API cannot reach. */
export interface MetricsServer {
  /** Undefined when it could not be opened. */
  readonly address: AddressInfo | undefined;
  close(): Promise<void>;
}

/**
 * Serves `/metrics` in Prometheus' text format, with those of the process (memory, processor time, event loop delay)
 * added. A port that cannot be opened is logged and no reason to stop: the service is worth more than its metrics.
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
  // Connections that cannot be accepted must not end the process.
  server.on('error', (error) => logger.error({ err: error }, 'A connection to the metrics was not accepted'));
  collectDefaultMetrics({ register: metrics.registry });
  return {
    address: server.address() as AddressInfo, // A TCP server that listens has one.
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
