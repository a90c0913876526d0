import { Module } from '@nestjs/common';
import { ConnectorsModule } from '../connectors/connectors.module';
import { OutboxModule } from '../outbox/outbox.module';
import { PropagateController } from './propagate.controller';
import { PROPAGATE_WAIT_MS, PropagateService } from './propagate.service';

const TEN_SECONDS = 10_000;

@Module({
  imports: [ConnectorsModule, OutboxModule],
  controllers: [PropagateController],
  providers: [PropagateService, { provide: PROPAGATE_WAIT_MS, useValue: TEN_SECONDS }],
})
export class PropagateModule {}
