import { Global, Module } from '@nestjs/common';
import { StorageQuota } from './storage-quota';
import { StorageUsageRepository } from './storage-usage.repository';

/** The quota of stored history and answers. Global, because many modules write or remove history. */
@Global()
@Module({ providers: [StorageQuota, StorageUsageRepository], exports: [StorageQuota] })
export class StorageQuotaModule {}
