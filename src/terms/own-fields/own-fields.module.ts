import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AuthModule } from '../../auth/auth.module';
import { ConnectionRow } from '../../database/entities/connection.entity';
import { ConnectionsRepository } from '../../records/connections/connections.repository';
import { OwnFieldsLookupModule } from '../../records/terms/own-fields-lookup.module';
import { AgreementsModule } from '../agreements/agreements.module';
import { FieldReader } from './field-reader';
import { OwnFieldsService } from './own-fields.service';

/** The fields that customers add to canonical types. */
@Module({
  imports: [AgreementsModule, AuthModule, OwnFieldsLookupModule, TypeOrmModule.forFeature([ConnectionRow])],
  providers: [OwnFieldsService, FieldReader, ConnectionsRepository],
  exports: [OwnFieldsService],
})
export class OwnFieldsModule {}
