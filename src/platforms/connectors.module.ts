import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { SandboxRecordRow } from '../database/entities/sandbox-record.entity';
import { LiveConnectorsModule } from './live-connectors.module';
import { Connectors } from './connectors';
import { SandboxRecordsRepository } from './sandbox/sandbox-records.repository';
import { SandboxConnector } from './sandbox/sandbox.connector';

/** The ways to the platforms. */
@Module({
  imports: [LiveConnectorsModule, TypeOrmModule.forFeature([SandboxRecordRow])],
  providers: [Connectors, SandboxConnector, SandboxRecordsRepository],
  exports: [Connectors],
})
export class ConnectorsModule {}
