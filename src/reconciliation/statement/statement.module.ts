import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { CsvFilesModule } from '../../common/csv/csv-files.module';
import { AnswerMemoryModule } from '../../common/response/memory/answer-memory.module';
import { CustomerTimesModule } from '../../common/paging/customer-times.module';
import { CaseNoteRow } from '../../database/entities/case-note.entity';
import { ConnectorsModule } from '../../platforms/connectors.module';
import { CasesService } from '../cases/cases.service';
import { FilesService } from '../files/files.service';
import { Freshness } from './freshness/freshness';
import { PastCases } from '../cases/listing/past-cases';
import { ShownCases } from '../cases/showing/shown-cases';
import { SingleCases } from '../cases/single/single-cases';
import { PastComparisons } from '../comparisons/past/past-comparisons';
import { KeptTallies } from './kept-tallies';
import { PastStatements } from './past-statements';
import { RecurringBooks } from './recurring-books';
import { ComparisonRetention } from '../comparisons/past/comparison-retention';
import { ComparisonWorker } from '../comparisons/comparison-worker';
import { ComparisonRefresher } from '../comparisons/refresher';
import { CaseNotesRepository } from '../reviews/case-notes.repository';
import { StatementTimes } from './freshness/statement-times';
import { StatementController } from './statement.controller';
import { StatementService } from './statement.service';

/** Cases, and comparisons that follow the records. The command line and the API both need them. */
@Module({
  imports: [
    TypeOrmModule.forFeature([CaseNoteRow]),
    AnswerMemoryModule,
    ConnectorsModule,
    CustomerTimesModule,
  ],
  providers: [
    { provide: StatementTimes, useFactory: () => new StatementTimes() },
    ComparisonRefresher,
    Freshness,
    PastComparisons,
    PastCases,
    ShownCases,
    CasesService,
    SingleCases,
    CaseNotesRepository,
  ],
  exports: [
    CasesService,
    SingleCases,
    CaseNotesRepository,
    PastComparisons,
    Freshness,
    ComparisonRefresher,
    StatementTimes,
  ],
})
export class CasesModule {}

@Module({
  imports: [CasesModule, CustomerTimesModule, CsvFilesModule],
  controllers: [StatementController],
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
export class StatementModule {}
