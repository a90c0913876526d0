import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { PropagationRow } from '../../database/entities/propagation.entity';
import { ConnectorsModule } from '../../platforms/connectors.module';
import { RecordsModule } from '../../records/records.module';
import { PropagationsRepository } from '../history/propagations.repository';
import { Recorders } from './recorder';

/** The history of changes, and the recorders of their outcomes. */
@Module({
  imports: [ConnectorsModule, RecordsModule, TypeOrmModule.forFeature([PropagationRow])],
  providers: [PropagationsRepository, Recorders],
  exports: [PropagationsRepository, Recorders],
})
export class OutcomesModule {}
