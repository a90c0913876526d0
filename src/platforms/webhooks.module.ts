import { Module } from '@nestjs/common';
import { CredentialsModule } from './credentials/credentials.module';
import { LiveAccess } from './live/live-access';
import { eachLivePlatform } from './live-platforms';
import { LiveTransportModule } from './live-transport.module';
import { TokensModule } from './live/tokens/tokens.module';
import { WEBHOOKS_OF_PLATFORMS, type PlatformWebhooks, type WebhooksOfPlatforms } from './webhooks';

const platforms = eachLivePlatform().flatMap(([name, { webhooks }]) =>
  webhooks === undefined ? [] : [{ name, webhooks }],
);

/** How live platforms are asked to tell us of changes. */
@Module({
  imports: [CredentialsModule, LiveTransportModule, TokensModule],
  providers: [
    LiveAccess,
    ...platforms.map(({ webhooks }) => webhooks),
    {
      provide: WEBHOOKS_OF_PLATFORMS,
      useFactory: (...made: readonly PlatformWebhooks[]): WebhooksOfPlatforms =>
        new Map(
          platforms.flatMap(({ name }, place) => {
            const webhooks = made[place];
            return webhooks === undefined ? [] : [[name, webhooks] as const];
          }),
        ),
      inject: platforms.map(({ webhooks }) => webhooks),
    },
  ],
  exports: [WEBHOOKS_OF_PLATFORMS],
})
export class PlatformWebhooksModule {}
