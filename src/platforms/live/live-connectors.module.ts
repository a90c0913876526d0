import { Module, type Type } from '@nestjs/common';
import type { PlatformName } from '@app/mapper';
import { CredentialsModule } from '../credentials/credentials.module';
import type { Connector } from '../connector';
import { LIVE_CONNECTORS, type LiveConnectors } from './live-connectors';
import { LiveTransportModule } from './live-transport.module';
import { PlatformAConnector } from '../platform_a/platform-a.connector';
import { PlatformBConnector } from '../platform_b/platform-b.connector';
import { WritingTimes } from '../platform_a/writing/times';
import { TokensModule } from './tokens/tokens.module';

/** The live connector of each platform that has one. */
const connectors: readonly (readonly [PlatformName, Type<Connector>])[] = [
  ['platform_a', PlatformAConnector],
  ['platform_b', PlatformBConnector],
];

/** The ways to the platforms themselves, over HTTP. */
@Module({
  imports: [CredentialsModule, LiveTransportModule, TokensModule],
  providers: [
    WritingTimes,
    ...connectors.map(([, connector]) => connector),
    {
      provide: LIVE_CONNECTORS,
      useFactory: (...made: readonly Connector[]): LiveConnectors =>
        new Map(
          connectors.flatMap(([platform], place) => {
            const connector = made[place];
            return connector === undefined ? [] : [[platform, connector] as const];
          }),
        ),
      inject: connectors.map(([, connector]) => connector),
    },
  ],
  exports: [LIVE_CONNECTORS],
})
export class LiveConnectorsModule {}
