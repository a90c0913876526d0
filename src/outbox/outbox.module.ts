import { Module } from '@nestjs/common';
import { ConnectorsModule } from '../platforms/connectors.module';
import { OutcomeWaiter } from './outcome/outcome-waiter';
import { OutcomesModule } from './outcome/outcomes.module';
import { Dispatcher, OUTBOX_POLL_MS } from './dispatch/dispatcher';
import { HistoryRetention } from './history-retention';
import { OutboxOperationsModule } from './operator/outbox-operations.module';
import { OutboxStates } from './command/stored/outbox-states';

const ONE_SECOND = 1_000;

/** Writes to platforms that wait to be sent. */
@Module({
  imports: [ConnectorsModule, OutcomesModule, OutboxOperationsModule],
  providers: [
    Dispatcher,
    OutcomeWaiter,
    HistoryRetention,
    OutboxStates,
    { provide: OUTBOX_POLL_MS, useValue: ONE_SECOND },
  ],
  exports: [Dispatcher, OutcomeWaiter],
})
export class OutboxModule {}
