import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { ResponseMemoryModule } from '../../common/response/memory/response-memory.module';
import { CustomerTimesModule } from '../../common/paging/customer-times.module';
import { CaseNoteRow } from '../../database/entities/case-note.entity';
import { ConnectorsModule } from '../../platforms/connectors.module';
import { CaseNotesRepository } from '../annotations/case-notes.repository';
import { Freshness } from '../freshness/freshness';
import { ChangedMeanwhile } from '../freshness/changed-meanwhile';
import { ComparablePages } from '../freshness/comparable-pages';
import { FormerVersions } from '../freshness/former-versions';
import { PageComparison } from '../freshness/page-comparison';
import { RefreshMarks } from '../freshness/refresh-marks';
import { RefreshTransactions } from '../freshness/refresh-transactions';
import { RefreshedObjects } from '../freshness/refreshed-objects';
import { ComparisonRefresher } from '../freshness/refresher';
import { StatementTimes } from '../freshness/statement-times';
import { PastComparisons } from '../past/past-comparisons';
import { CasesService } from './cases.service';
import { PastCases } from './listing/past-cases';
import { ShownCases } from './showing/shown-cases';
import { SingleCases } from './single/single-cases';

/** Cases, and comparisons that follow the records. The command line and the API both need them. */
@Module({
  imports: [
    TypeOrmModule.forFeature([CaseNoteRow]),
    ResponseMemoryModule,
    ConnectorsModule,
    CustomerTimesModule,
  ],
  providers: [
    { provide: StatementTimes, useFactory: () => new StatementTimes() },
    RefreshTransactions,
    RefreshMarks,
    ComparablePages,
    FormerVersions,
    PageComparison,
    RefreshedObjects,
    ChangedMeanwhile,
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
