import { Module, type OnApplicationBootstrap } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AuthModule } from '../../auth/auth.module';
import { ConnectionRow } from '../../database/entities/connection.entity';
import { ConnectionsRepository } from '../../records/connections/connections.repository';
import { OwnFieldsLookupModule } from '../../records/terms/own-fields-lookup.module';
import { AgreementsModule } from '../agreements/agreements.module';
import { FieldReader } from './field-reader';
import { OwnFieldsService } from './own-fields.service';

/** The fields that customers add to canonical types: their definitions, and how far reading has come. */
@Module({
  imports: [AgreementsModule, AuthModule, OwnFieldsLookupModule, TypeOrmModule.forFeature([ConnectionRow])],
  providers: [OwnFieldsService, FieldReader, ConnectionsRepository],
  exports: [OwnFieldsService, FieldReader],
})
export class OwnFieldsModule {}

/** The same, and the reading of what is stored. */
@Module({ imports: [OwnFieldsModule], exports: [OwnFieldsModule] })
export class OwnFieldsReadingModule implements OnApplicationBootstrap {
  constructor(private readonly reader: FieldReader) {}

  onApplicationBootstrap(): void {
    this.reader.start();
  }
}
