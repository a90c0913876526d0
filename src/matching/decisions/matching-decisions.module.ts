import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { ReconciliationDecisionRow } from '../../database/entities/reconciliation-decision.entity';
import { DecisionsRepository } from './decisions.repository';
import { MatchingDecisions } from './decisions.service';
import { SourceChanges } from './source-changes';

/** Decisions by people about which records are one. */
@Module({
  imports: [TypeOrmModule.forFeature([ReconciliationDecisionRow])],
  providers: [DecisionsRepository, MatchingDecisions, SourceChanges],
  exports: [MatchingDecisions, SourceChanges],
})
export class MatchingDecisionsModule {}
