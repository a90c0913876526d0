import { Module } from '@nestjs/common';
import { IdempotencyModule } from '../idempotency/idempotency.module';
import { MatchingDecisions } from '../reconciliation/decisions/decisions.service';
import { DecisionsController } from './decisions.controller';
import { DecisionsService } from './decisions.service';

/** `/reconciliation/decisions`. */
@Module({
  imports: [IdempotencyModule],
  controllers: [DecisionsController],
  providers: [DecisionsService, MatchingDecisions],
})
export class DecisionsModule {}
