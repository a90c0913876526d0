import { Injectable } from '@nestjs/common';
import type { Connection, Connector } from './connector';
import { SandboxConnector } from './sandbox/sandbox.connector';

/** Finds the connector of a customer's connection. */
@Injectable()
export class Connectors {
  constructor(private readonly sandbox: SandboxConnector) {}

  /** The connector behind a customer's connection to a platform. */
  // eslint-disable-next-line @typescript-eslint/no-unused-vars -- every connection is a sandbox until one has credentials
  connectorFor(connection: Connection): Connector {
    return this.sandbox;
  }
}
