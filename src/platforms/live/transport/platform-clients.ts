import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { LOGGER, type Logger } from '../../../runtime/logging/logger';
import { Metrics } from '../../../runtime/metrics/metrics';
import { Spans } from '../../../runtime/tracing/spans';
import type { ConnectionName } from '../../connector';
import { RateLimiter } from '../pacing/rate-limiter';
import type { LimiterKey } from '../pacing/limiter-key';
import { TIME, type Time } from '../time';
import { AuthorizedClient, type TokenProvider } from './authorized-client';
import { HttpExchanges } from './http-exchanges';
import { PlatformClient, type CallLimiter, type ClientParts, type RequestSender } from './platform-client';

/** Makes clients of connections. They are light: the connections to the hosts are shared, and closed at shutdown. */
@Injectable()
export class PlatformClients implements OnApplicationShutdown {
  private readonly exchanges = new HttpExchanges();
  private readonly parts: ClientParts;

  constructor(
    private readonly limiter: RateLimiter,
    metrics: Metrics,
    spans: Spans,
    @Inject(LOGGER) logger: Logger,
    @Inject(TIME) time: Time,
  ) {
    this.parts = { exchanges: this.exchanges, metrics, spans, logger, time };
  }

  /** Calls that pass the rate limiter of their credential, with a token, to the platform's own addresses. */
  authorized(
    connection: ConnectionName,
    tokens: TokenProvider,
    addresses: readonly string[],
    gateName: LimiterKey,
  ): RequestSender {
    const { customerId } = connection;
    const limiter: CallLimiter = {
      acquire: (kind, signal, waitLimitMs) =>
        this.limiter.acquire({ ...gateName, customerId }, kind, signal, waitLimitMs),
      rules: () => this.limiter.rules(gateName.platform),
    };
    return new AuthorizedClient(new PlatformClient(connection, this.parts, limiter), tokens, addresses);
  }

  /** Calls without token that pass no rate limiter, as those for tokens. */
  bare(connection: ConnectionName): RequestSender {
    return new PlatformClient(connection, this.parts);
  }

  async onApplicationShutdown(): Promise<void> {
    await this.exchanges.close();
  }
}
