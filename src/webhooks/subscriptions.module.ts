import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { WebhookSubscriptionRow } from '../database/entities/webhook-subscription.entity';
import { WebhookSchedulesModule } from '../platforms/webhook-schedules.module';
import { PlatformWebhooksModule } from '../platforms/webhooks.module';
import { SubscriptionsRepository } from './subscriptions.repository';
import { SubscriptionsService } from './subscriptions.service';
import { WebhookTimes } from './webhook-times';

/** The subscriptions of live connections. The module starts no background work. */
@Module({
  imports: [
    PlatformWebhooksModule,
    WebhookSchedulesModule,
    TypeOrmModule.forFeature([WebhookSubscriptionRow]),
  ],
  providers: [WebhookTimes, SubscriptionsRepository, SubscriptionsService],
  exports: [PlatformWebhooksModule, WebhookSchedulesModule, SubscriptionsService, WebhookTimes],
})
export class SubscriptionsModule {}
