import { Module } from '@nestjs/common';
import { CsvFilesModule } from '../../common/csv/csv-files.module';
import { IdempotencyModule } from '../../common/idempotency/idempotency.module';
import { MatchingDecisionsModule } from '../../matching/decisions/matching-decisions.module';
import { DecisionsController } from './decisions.controller';
import { DecisionsService } from './decisions.service';

/** `/reconciliation/decisions`. */
@Module({
  imports: [MatchingDecisionsModule, CsvFilesModule, IdempotencyModule],
  controllers: [DecisionsController],
  providers: [DecisionsService],
  exports: [DecisionsService],
})
export class DecisionsModule {}
