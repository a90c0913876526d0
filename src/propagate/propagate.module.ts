import { Module } from '@nestjs/common';
import { ConnectorsModule } from '../connectors/connectors.module';
import { OutboxModule } from '../outbox/outbox.module';
import { PropagateController } from './propagate.controller';
import { PropagateService, PropagateWait } from './propagate.service';

@Module({
  imports: [ConnectorsModule, OutboxModule],
  controllers: [PropagateController],
  providers: [PropagateService, PropagateWait],
})
export class PropagateModule {}
