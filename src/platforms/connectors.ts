import { Inject, Injectable } from '@nestjs/common';
import type { PlatformName } from '@app/mapper';
import { ApiError } from '../common/errors/api-error';
import type { Connection, Connector } from './connector';
import { LIVE_CONNECTORS, type LiveConnectors } from './live/live-connectors';
import { SandboxConnector } from './sandbox/sandbox.connector';

/** Finds the connector of a customer's connection. */
@Injectable()
export class Connectors {
  constructor(
    private readonly sandbox: SandboxConnector,
    @Inject(LIVE_CONNECTORS) private readonly live: LiveConnectors,
  ) {}

  /** The platforms that have more than a sandbox. */
  get livePlatforms(): readonly PlatformName[] {
    return [...this.live.keys()];
  }

  /**
   * Returns the connector of a customer's connection. A command for the platform itself never reaches a sandbox.
   *
   * @throws ApiError CONFLICT_ERROR for a live connection to a platform that has only a sandbox
   */
  connectorFor({ platform, mode }: Connection): Connector {
    if (mode === 'sandbox') return this.sandbox;
    const connector = this.live.get(platform);
    if (connector === undefined) throw new ApiError('CONFLICT_ERROR', `${platform} has a sandbox only`);
    return connector;
  }
}
