import { Module } from '@nestjs/common';
import { PlatformWebhooksModule } from '../connectors/webhooks.module';
import { SyncRunsModule } from '../sync/sync.module';
import { SyncRequests } from '../sync/sync-requests';
import { FoldedRequests } from './folded-requests';
import { WebhookKeeper } from './keeper';
import { ReceiverLookup } from './receiver-lookup';
import { ReceiverService } from './receiver.service';
import { SubscriptionsService } from './subscriptions.service';
import { WebhookTimes } from './webhook-times';
import { WebhooksController } from './webhooks.controller';

/** What live connections are subscribed to. Does nothing by itself. */
@Module({
  imports: [PlatformWebhooksModule],
  providers: [WebhookTimes, SubscriptionsService],
  exports: [PlatformWebhooksModule, SubscriptionsService, WebhookTimes],
})
export class SubscriptionsModule {}

/** The same, the receivers, and the keeper of subscriptions. */
@Module({
  imports: [SubscriptionsModule, SyncRunsModule],
  controllers: [WebhooksController],
  providers: [
    ReceiverLookup,
    ReceiverService,
    WebhookKeeper,
    {
      provide: FoldedRequests,
      useFactory: (requests: SyncRequests) => new FoldedRequests(requests),
      inject: [SyncRequests],
    },
  ],
})
export class WebhooksModule {}
