import { Module } from '@nestjs/common';
import { FileHeadsModule } from '../../common/csv/file-heads.module';
import { IdempotencyModule } from '../../common/idempotency/idempotency.module';
import { MatchingDecisions } from '../../matching/decisions/decisions.service';
import { DecisionsController } from './decisions.controller';
import { DecisionsService } from './decisions.service';

/** `/reconciliation/decisions`. */
@Module({
  imports: [FileHeadsModule, IdempotencyModule],
  controllers: [DecisionsController],
  providers: [DecisionsService, MatchingDecisions],
})
export class DecisionsModule {}
