import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { ApiKeyRow } from '../database/entities/api-key.entity';
import { ConnectionRow } from '../database/entities/connection.entity';
import { CustomerRow } from '../database/entities/customer.entity';
import { ApiKeysService } from './api-keys.service';
import { CustomersService } from './customers.service';

/** Customers and their keys. */
@Module({
  imports: [TypeOrmModule.forFeature([ApiKeyRow, CustomerRow, ConnectionRow])],
  providers: [ApiKeysService, CustomersService],
  exports: [ApiKeysService, CustomersService],
})
export class AuthModule {}
