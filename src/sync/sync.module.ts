import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { SyncCursorRow } from '../database/entities/sync-cursor.entity';
import { SyncRunRow } from '../database/entities/sync-run.entity';
import { SyncScheduleRow } from '../database/entities/sync-schedule.entity';
import { ENVIRONMENT, type Environment } from '../runtime/config/environment';
import { MatchingDecisionsModule } from '../matching/decisions/matching-decisions.module';
import { ConnectorsModule } from '../platforms/connectors.module';
import { WebhookSchedulesModule } from '../platforms/webhook-schedules.module';
import { RecordsModule } from '../records/records.module';
import { ConnectionChecks } from './execution/connection-checks';
import { DeletedRetention } from './absences/deleted-retention';
import { RunReaper } from './execution/run-reaper';
import { CursorsRepository } from './reading/cursors.repository';
import { Publication } from './reading/publication';
import { RunClaims } from './execution/run-claims';
import { RunExecution } from './execution/run-execution';
import { RunFailures } from './execution/run-failures';
import { Runs } from './execution/runs';
import { RunsRepository } from './run/runs.repository';
import { SchedulesRepository } from './schedule/schedules.repository';
import { SyncSchedule } from './execution/schedule';
import { SyncRequests } from './schedule/sync-requests';
import { SyncService } from './sync.service';
import { SyncTimes } from './schedule/sync-times';

/** Runs on request: reading platforms, and publishing what was read. Starts nothing by itself. */
@Module({
  imports: [
    ConnectorsModule,
    MatchingDecisionsModule,
    RecordsModule,
    WebhookSchedulesModule,
    TypeOrmModule.forFeature([SyncRunRow, SyncScheduleRow, SyncCursorRow]),
  ],
  providers: [
    {
      provide: SyncTimes,
      inject: [ENVIRONMENT],
      useFactory: ({ connectWaitMs, syncIntervalMs, syncPauseMs }: Environment) =>
        Object.assign(new SyncTimes(), {
          wait: connectWaitMs,
          interval: syncIntervalMs,
          pause: syncPauseMs,
        }),
    },
    RunsRepository,
    SchedulesRepository,
    CursorsRepository,
    RunClaims,
    RunFailures,
    Publication,
    RunExecution,
    Runs,
    SyncService,
    SyncRequests,
    ConnectionChecks,
  ],
  exports: [
    Runs,
    RunFailures,
    CursorsRepository,
    SchedulesRepository,
    SyncService,
    SyncRequests,
    SyncTimes,
    ConnectionChecks,
  ],
})
export class SyncRunsModule {}

/**
 * {@link SyncRunsModule} with its background work: scheduled runs, the takeover of runs whose instance is gone, and the
 * removal of old deleted records.
 */
@Module({
  imports: [RecordsModule, SyncRunsModule],
  providers: [RunReaper, SyncSchedule, DeletedRetention],
  exports: [SyncRunsModule],
})
export class SyncModule {}
