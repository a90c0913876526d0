import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { CredentialsModule } from '../credentials/credentials.module';
import { SandboxRecordRow } from '../database/entities/sandbox-record.entity';
import { TokenSource } from './live/tokens/token-source';
import { TokenTimes } from './live/tokens/token-times';
import { Connectors } from './registry';
import { SandboxConnector } from './sandbox/sandbox.connector';

/** The ways to the platforms. */
@Module({
  imports: [CredentialsModule, TypeOrmModule.forFeature([SandboxRecordRow])],
  providers: [Connectors, SandboxConnector, TokenTimes, TokenSource],
  exports: [Connectors],
})
export class ConnectorsModule {}
