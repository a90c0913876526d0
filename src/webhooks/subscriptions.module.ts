import { Module } from '@nestjs/common';
import { PlatformWebhooksModule } from '../platforms/webhooks.module';
import { SubscriptionsService } from './subscriptions.service';
import { WebhookTimes } from './webhook-times';

/** The subscriptions of live connections. Starts no work by itself. */
@Module({
  imports: [PlatformWebhooksModule],
  providers: [WebhookTimes, SubscriptionsService],
  exports: [PlatformWebhooksModule, SubscriptionsService, WebhookTimes],
})
export class SubscriptionsModule {}
