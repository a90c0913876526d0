import { Module } from '@nestjs/common';
import { ConnectorsModule } from '../connectors/connectors.module';
import { SyncKeeper } from './keeper';
import { RunExecution } from './run-execution';
import { Runs } from './runs';
import { SyncService } from './sync.service';
import { SyncTimes } from './sync-times';

/** Runs: reading platforms and making visible what was read. */
@Module({
  imports: [ConnectorsModule],
  providers: [SyncTimes, RunExecution, Runs, SyncService, SyncKeeper],
  exports: [SyncService],
})
export class SyncModule {}
