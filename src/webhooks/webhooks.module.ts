import { Module } from '@nestjs/common';
import { SyncRunsModule } from '../sync/sync.module';
import { SyncRequests } from '../sync/schedule/sync-requests';
import { CoalescedRequests } from './coalesced-requests';
import { SubscriptionWorker } from './subscription-worker';
import { ReceiverLookup } from './receiver-lookup';
import { ReceiverService } from './receiver.service';
import { SubscriptionsModule } from './subscriptions.module';
import { WebhooksController } from './webhooks.controller';

/** Receives the notifications of live platforms, and runs the worker that keeps them subscribed. */
@Module({
  imports: [SubscriptionsModule, SyncRunsModule],
  controllers: [WebhooksController],
  providers: [
    ReceiverLookup,
    ReceiverService,
    SubscriptionWorker,
    {
      provide: CoalescedRequests,
      useFactory: (requests: SyncRequests) => new CoalescedRequests(requests),
      inject: [SyncRequests],
    },
  ],
})
export class WebhooksModule {}
