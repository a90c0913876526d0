import { Module } from '@nestjs/common';
import { ConnectorsModule } from '../../platforms/connectors.module';
import { OutboxOperations } from './outbox-operations';

/** What operators do with the outbox. Nothing is sent from here. */
@Module({
  imports: [ConnectorsModule],
  providers: [OutboxOperations],
  exports: [OutboxOperations],
})
export class OutboxOperationsModule {}
