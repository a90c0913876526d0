import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { SandboxRecordRow } from '../database/entities/sandbox-record.entity';
import { TokensModule } from './live/tokens/tokens.module';
import { Connectors } from './registry';
import { SandboxConnector } from './sandbox/sandbox.connector';

/** The ways to the platforms. */
@Module({
  imports: [TokensModule, TypeOrmModule.forFeature([SandboxRecordRow])],
  providers: [Connectors, SandboxConnector],
  exports: [Connectors],
})
export class ConnectorsModule {}
