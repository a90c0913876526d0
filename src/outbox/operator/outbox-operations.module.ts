import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { OutboxDecisionRow } from '../../database/entities/outbox-decision.entity';
import { OutcomesModule } from '../outcome/outcomes.module';
import { OperatorDecisionsRepository } from './operator-decisions.repository';
import { OutboxOperations } from './outbox-operations';

/** What operators do with the outbox. Nothing is sent from here. */
@Module({
  imports: [OutcomesModule, TypeOrmModule.forFeature([OutboxDecisionRow])],
  providers: [OperatorDecisionsRepository, OutboxOperations],
  exports: [OperatorDecisionsRepository, OutboxOperations],
})
export class OutboxOperationsModule {}
