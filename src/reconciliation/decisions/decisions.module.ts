import { Module } from '@nestjs/common';
import { CsvFilesModule } from '../../common/csv/csv-files.module';
import { IdempotencyModule } from '../../common/idempotency/idempotency.module';
import { MatchingDecisions } from '../../matching/decisions/decisions.service';
import { DecisionsController } from './decisions.controller';
import { DecisionsService } from './decisions.service';

/** `/reconciliation/decisions`. */
@Module({
  imports: [CsvFilesModule, IdempotencyModule],
  controllers: [DecisionsController],
  providers: [DecisionsService, MatchingDecisions],
})
export class DecisionsModule {}
