import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { IdempotencyModule } from '../common/idempotency/idempotency.module';
import { PassthroughRequestRow } from '../database/entities/passthrough-request.entity';
import { ConnectorsModule } from '../platforms/connectors.module';
import { CredentialsModule } from '../platforms/credentials/credentials.module';
import { SyncModule } from '../sync/sync.module';
import { PassthroughController } from './passthrough.controller';
import { PassthroughRequestsRepository } from './passthrough-requests.repository';
import { PassthroughRetention } from './passthrough-retention';
import { PassthroughService } from './passthrough.service';

/** `/platforms/{platform}/request`. */
@Module({
  imports: [
    ConnectorsModule,
    CredentialsModule,
    IdempotencyModule,
    SyncModule,
    TypeOrmModule.forFeature([PassthroughRequestRow]),
  ],
  controllers: [PassthroughController],
  providers: [PassthroughRequestsRepository, PassthroughRetention, PassthroughService],
})
export class PassthroughModule {}
