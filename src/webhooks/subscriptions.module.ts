import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { WebhookSubscriptionRow } from '../database/entities/webhook-subscription.entity';
import { PlatformWebhooksModule } from '../platforms/webhooks.module';
import { SubscriptionsRepository } from './subscriptions.repository';
import { SubscriptionsService } from './subscriptions.service';
import { WebhookTimes } from './webhook-times';

/** The subscriptions of live connections. Starts no work by itself. */
@Module({
  imports: [PlatformWebhooksModule, TypeOrmModule.forFeature([WebhookSubscriptionRow])],
  providers: [WebhookTimes, SubscriptionsRepository, SubscriptionsService],
  exports: [PlatformWebhooksModule, SubscriptionsService, WebhookTimes],
})
export class SubscriptionsModule {}
