import { Module } from '@nestjs/common';
import { CsvFilesModule } from '../../common/csv/csv-files.module';
import { IdempotencyModule } from '../../common/idempotency/idempotency.module';
import { CustomerTimesModule } from '../../common/paging/customer-times.module';
import { AnswerMemoryModule } from '../../common/response/memory/answer-memory.module';
import { StatementModule } from '../statement/statement.module';
import { SignoffComparison } from './compared-signoffs';
import { ListedSignoffs } from './listed-signoffs.service';
import { SignoffsController } from './signoffs.controller';
import { SignoffsService } from './signoffs.service';

/** `/reconciliation/signoffs`. */
@Module({
  imports: [StatementModule, AnswerMemoryModule, CustomerTimesModule, CsvFilesModule, IdempotencyModule],
  controllers: [SignoffsController],
  providers: [SignoffsService, ListedSignoffs, SignoffComparison],
})
export class SignoffsModule {}
