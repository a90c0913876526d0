import { Module } from '@nestjs/common';
import { PlatformWebhooksModule } from '../platforms/webhooks.module';
import { SubscriptionsService } from './subscriptions.service';
import { WebhookTimes } from './webhook-times';

/** What live connections are subscribed to. Does nothing by itself. */
@Module({
  imports: [PlatformWebhooksModule],
  providers: [WebhookTimes, SubscriptionsService],
  exports: [PlatformWebhooksModule, SubscriptionsService, WebhookTimes],
})
export class SubscriptionsModule {}
