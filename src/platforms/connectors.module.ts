import { Module } from '@nestjs/common';
import { LiveConnectorsModule } from './live/live-connectors.module';
import { Connectors } from './registry';
import { SandboxConnector } from './sandbox/sandbox.connector';

/** The ways to the platforms. */
@Module({
  imports: [LiveConnectorsModule],
  providers: [Connectors, SandboxConnector],
  exports: [Connectors],
})
export class ConnectorsModule {}
