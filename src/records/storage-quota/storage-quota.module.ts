import { Global, Module } from '@nestjs/common';
import { StorageQuota } from './storage-quota';
import { StorageUsageRepository } from './storage-usage.repository';

/** What customers may store. Global: what writes history, and what removes it, stands in many modules. */
@Global()
@Module({ providers: [StorageQuota, StorageUsageRepository], exports: [StorageQuota] })
export class StorageQuotaModule {}
