import { Module } from '@nestjs/common';
import { CredentialsModule } from './credentials/credentials.module';
import type { Connector } from './connector';
import { LIVE_CONNECTORS, type LiveConnectors } from './live/live-connectors';
import { eachLivePlatform } from './live-platforms';
import { LiveTransportModule } from './live-transport.module';
import { TokensModule } from './live/tokens/tokens.module';

const platforms = eachLivePlatform();

/** The ways to the platforms themselves, over HTTP. */
@Module({
  imports: [CredentialsModule, LiveTransportModule, TokensModule],
  providers: [
    ...platforms.flatMap(([, { connector, providers = [] }]) => [connector, ...providers]),
    {
      provide: LIVE_CONNECTORS,
      useFactory: (...made: readonly Connector[]): LiveConnectors =>
        new Map(
          platforms.flatMap(([name], place) => {
            const connector = made[place];
            return connector === undefined ? [] : [[name, connector] as const];
          }),
        ),
      inject: platforms.map(([, { connector }]) => connector),
    },
  ],
  exports: [LIVE_CONNECTORS],
})
export class LiveConnectorsModule {}
