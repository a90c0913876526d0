import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { ApiKeyRow } from '../database/entities/api-key.entity';
import { CustomerRow } from '../database/entities/customer.entity';
import { ApiKeysRepository } from './keys/api-keys.repository';
import { ApiKeysService } from './api-keys.service';
import { CallerCache } from './callers/caller-cache';
import { CallerLookup } from './callers/caller-lookup';
import { RecordsModule } from '../records/records.module';
import { CustomersRepository } from './customers/customers.repository';
import { CustomersService } from './customers/customers.service';

/** Customers and their keys. */
@Module({
  imports: [RecordsModule, TypeOrmModule.forFeature([ApiKeyRow, CustomerRow])],
  providers: [
    ApiKeysRepository,
    CustomersRepository,
    { provide: CallerCache, useFactory: () => new CallerCache() },
    ApiKeysService,
    CallerLookup,
    CustomersService,
  ],
  exports: [
    ApiKeysRepository,
    CustomersRepository,
    ApiKeysService,
    CallerCache,
    CallerLookup,
    CustomersService,
  ],
})
export class AuthModule {}
