import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { PlatformRecordRow } from '../database/entities/platform-record.entity';
import { ENVIRONMENT, type Environment } from '../runtime/config/environment';
import { CustomerTimesModule } from '../common/paging/customer-times.module';
import { ConnectorsModule } from '../platforms/connectors.module';
import { IdempotencyModule } from '../common/idempotency/idempotency.module';
import { OutboxModule } from '../outbox/outbox.module';
import { OutcomesModule } from '../outbox/outcome/outcomes.module';
import { RecordsModule } from '../records/records.module';
import { OutboxOperationsModule } from '../outbox/operator/outbox-operations.module';
import { LookupsRepository } from './load/lookups.repository';
import { PropagateController } from './propagate.controller';
import { PropagateService, PropagateWait } from './propagate.service';
import { PropagationDecisions } from './propagation-decisions.service';
import { PropagationsController } from './propagations.controller';
import { PropagationsService } from './propagations.service';

@Module({
  imports: [
    ConnectorsModule,
    CustomerTimesModule,
    IdempotencyModule,
    OutboxModule,
    OutboxOperationsModule,
    OutcomesModule,
    RecordsModule,
    TypeOrmModule.forFeature([PlatformRecordRow]),
  ],
  controllers: [PropagateController, PropagationsController],
  providers: [
    LookupsRepository,
    PropagateService,
    PropagationsService,
    PropagationDecisions,
    {
      provide: PropagateWait,
      inject: [ENVIRONMENT],
      useFactory: ({ propagateWaitMs }: Environment) => new PropagateWait(propagateWaitMs),
    },
  ],
  exports: [PropagateService],
})
export class PropagateModule {}
