import { Global, Module } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { DatabaseProbe } from '../database/database-probe';
import { poolStateOf } from '../database/pool-state';
import { Metrics } from './metrics';

/** The metrics, for every module that has something to count. */
@Global()
@Module({
  providers: [
    {
      provide: Metrics,
      inject: [DataSource, DatabaseProbe],
      useFactory: (dataSource: DataSource, probe: DatabaseProbe) => {
        const metrics = new Metrics();
        metrics.watchDatabase(
          () => poolStateOf(dataSource),
          () => probe.check(),
        );
        return metrics;
      },
    },
  ],
  exports: [Metrics],
})
export class MetricsModule {}
