import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { LOGGER, type Logger } from '../../../runtime/logging/logger';
import { Metrics } from '../../../runtime/metrics/metrics';
import type { ConnectionName } from '../../connector';
import { Gate } from '../pacing/gate';
import type { GateName } from '../pacing/gate-name';
import { TIME, type Time } from '../time';
import { AuthorizedClient, type TokenProvider } from './authorized-client';
import { HttpExchanges } from './http-exchanges';
import { PlatformClient, type CallGate, type ClientParts, type Sender } from './platform-client';

/** Makes clients of connections. They are light: the connections to the hosts are shared, and closed at shutdown. */
@Injectable()
export class PlatformClients implements OnApplicationShutdown {
  private readonly exchanges = new HttpExchanges();
  private readonly parts: ClientParts;

  constructor(
    private readonly gate: Gate,
    metrics: Metrics,
    @Inject(LOGGER) logger: Logger,
    @Inject(TIME) time: Time,
  ) {
    this.parts = { exchanges: this.exchanges, metrics, logger, time };
  }

  /** Calls that pass the gate of their credential, with a token, to the platform's own addresses. */
  authorized(
    connection: ConnectionName,
    tokens: TokenProvider,
    addresses: readonly string[],
    gateName: GateName,
  ): Sender {
    const { customerId } = connection;
    const gate: CallGate = {
      enter: (kind, signal, patienceMs) =>
        this.gate.enter({ ...gateName, customerId }, kind, signal, patienceMs),
      rules: () => this.gate.rules(gateName.platform),
    };
    return new AuthorizedClient(new PlatformClient(connection, this.parts, gate), tokens, addresses);
  }

  /** Calls without token that pass no gate, as those for tokens. */
  bare(connection: ConnectionName): Sender {
    return new PlatformClient(connection, this.parts);
  }

  async onApplicationShutdown(): Promise<void> {
    await this.exchanges.close();
  }
}
