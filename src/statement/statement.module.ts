import { Module } from '@nestjs/common';
import { AnswerMemoryModule } from '../http/answer-memory.module';
import { CasesService } from './cases.service';
import { FilesService } from './files.service';
import { Freshness } from './freshness';
import { PastCases } from './past-cases';
import { PastComparisons } from './past-comparisons';
import { PastStatements } from './past-statements';
import { ComparisonKeeper } from './refresh/keeper';
import { ComparisonRefresher } from './refresh/refresher';
import { StatementTimes } from './statement-times';
import { StatementController } from './statement.controller';
import { StatementService } from './statement.service';

/** What the command line and the API both need: cases, and comparisons that follow the records. */
@Module({
  imports: [AnswerMemoryModule],
  providers: [
    { provide: StatementTimes, useFactory: () => new StatementTimes() },
    ComparisonRefresher,
    Freshness,
    PastComparisons,
    PastCases,
    CasesService,
  ],
  exports: [CasesService, PastComparisons, Freshness, ComparisonRefresher, StatementTimes],
})
export class CasesModule {}

@Module({
  imports: [CasesModule],
  controllers: [StatementController],
  providers: [StatementService, PastStatements, FilesService, ComparisonKeeper],
})
export class StatementModule {}
