import { Module } from '@nestjs/common';
import { CasesService } from './cases.service';
import { FilesService } from './files.service';
import { Freshness } from './freshness';
import { PastStatements } from './past-statements';
import { ComparisonKeeper } from './refresh/keeper';
import { ComparisonRefresher } from './refresh/refresher';
import { StatementTimes } from './statement-times';
import { StatementController } from './statement.controller';
import { StatementService } from './statement.service';

/** What the command line and the API both need: cases, and comparisons that follow the records. */
@Module({
  providers: [
    { provide: StatementTimes, useFactory: () => new StatementTimes() },
    ComparisonRefresher,
    Freshness,
    CasesService,
  ],
  exports: [CasesService, Freshness, ComparisonRefresher, StatementTimes],
})
export class CasesModule {}

@Module({
  imports: [CasesModule],
  controllers: [StatementController],
  providers: [StatementService, PastStatements, FilesService, ComparisonKeeper],
})
export class StatementModule {}
