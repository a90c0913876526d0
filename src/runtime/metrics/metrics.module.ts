import { Global, Module } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { DatabaseProbe } from '../../database/connection/database-probe';
import { poolStateOf } from '../../database/connection/pool-state';
import { UnitOfWork } from '../../database/transaction/unit-of-work';
import { Metrics } from './metrics';

/** Provides the metrics to every module. */
@Global()
@Module({
  providers: [
    {
      provide: Metrics,
      inject: [DataSource, DatabaseProbe, UnitOfWork],
      useFactory: (dataSource: DataSource, probe: DatabaseProbe, unitOfWork: UnitOfWork) => {
        const metrics = new Metrics();
        metrics.watchDatabase(
          () => poolStateOf(dataSource, unitOfWork.waiting),
          () => probe.check(),
        );
        return metrics;
      },
    },
  ],
  exports: [Metrics],
})
export class MetricsModule {}
