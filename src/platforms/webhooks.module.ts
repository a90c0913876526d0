import { Module } from '@nestjs/common';
import type { PlatformName } from '@app/mapper';
import { CredentialsModule } from './credentials/credentials.module';
import { LiveAccess } from './live/live-access';
import { LiveTransportModule } from './live/live-transport.module';
import { PlatformAWebhooks } from './platform_a/webhooks';
import { PlatformBWebhooks } from './platform_b/webhooks';
import { TokensModule } from './live/tokens/tokens.module';
import { WEBHOOKS_OF_PLATFORMS, type PlatformWebhooks, type WebhooksOfPlatforms } from './webhooks';

/** How live platforms are asked to tell us of changes. */
@Module({
  imports: [CredentialsModule, LiveTransportModule, TokensModule],
  providers: [
    LiveAccess,
    PlatformAWebhooks,
    PlatformBWebhooks,
    {
      provide: WEBHOOKS_OF_PLATFORMS,
      useFactory: (a: PlatformAWebhooks, b: PlatformBWebhooks): WebhooksOfPlatforms =>
        new Map<PlatformName, PlatformWebhooks>([
          ['platform_a', a],
          ['platform_b', b],
        ]),
      inject: [PlatformAWebhooks, PlatformBWebhooks],
    },
  ],
  exports: [WEBHOOKS_OF_PLATFORMS],
})
export class PlatformWebhooksModule {}
