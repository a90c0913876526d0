import { Module } from '@nestjs/common';
import { CsvFilesModule } from '../common/csv/csv-files.module';
import { CustomerTimesModule } from '../common/paging/customer-times.module';
import { CasesModule } from './cases/cases.module';
import { ComparisonRetention } from './comparisons/comparison-retention';
import { FilesService } from './files/files.service';
import { ComparisonWorker } from './freshness/comparison-worker';
import { ReconciliationController } from './reconciliation.controller';
import { KeptTallies } from './statement/kept-tallies';
import { PastStatements } from './statement/past-statements';
import { RecurringBooks } from './statement/recurring-books';
import { StatementService } from './statement/statement.service';

/** The statement and the cases behind it: `/reconciliation` and `/reconciliation/cases`. */
@Module({
  imports: [CasesModule, CustomerTimesModule, CsvFilesModule],
  controllers: [ReconciliationController],
  providers: [
    StatementService,
    PastStatements,
    KeptTallies,
    RecurringBooks,
    FilesService,
    ComparisonWorker,
    ComparisonRetention,
  ],
  exports: [StatementService, RecurringBooks],
})
export class ReconciliationModule {}
