import { Module } from '@nestjs/common';
import { SyncRunsModule } from '../sync/sync.module';
import { SyncRequests } from '../sync/run/sync-requests';
import { FoldedRequests } from './folded-requests';
import { WebhookKeeper } from './keeper';
import { ReceiverLookup } from './receiver-lookup';
import { ReceiverService } from './receiver.service';
import { SubscriptionsModule } from './subscriptions.module';
import { WebhooksController } from './webhooks.controller';

/** Receivers of the calls of live platforms, and the keeper of what these are subscribed to. */
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
