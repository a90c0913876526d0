import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { ConnectionRow } from '../database/entities/connection.entity';
import { IdempotencyModule } from '../idempotency/idempotency.module';
import { SyncModule } from '../sync/sync.module';
import { ConnectionsController } from './connections.controller';
import { ConnectionsService } from './connections.service';

@Module({
  imports: [IdempotencyModule, SyncModule, TypeOrmModule.forFeature([ConnectionRow])],
  controllers: [ConnectionsController],
  providers: [ConnectionsService],
})
export class ConnectionsModule {}
