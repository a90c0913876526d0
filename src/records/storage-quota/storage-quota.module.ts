import { Global, Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { StorageUsageRow } from '../../database/entities/storage-usage.entity';
import { StorageQuota } from './storage-quota';
import { StorageUsageRepository } from './storage-usage.repository';

/** The quota of stored history and answers. Global, because many modules write or remove history. */
@Global()
@Module({
  imports: [TypeOrmModule.forFeature([StorageUsageRow])],
  providers: [StorageQuota, StorageUsageRepository],
  exports: [StorageQuota],
})
export class StorageQuotaModule {}
