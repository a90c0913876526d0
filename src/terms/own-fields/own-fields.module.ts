import { Module, type OnApplicationBootstrap } from '@nestjs/common';
import { AuthModule } from '../../auth/auth.module';
import { RecordsModule } from '../../records/records.module';
import { OwnFieldsLookupModule } from '../../records/terms/own-fields-lookup.module';
import { AgreementsModule } from '../agreements/agreements.module';
import { FieldReader } from './field-reader';
import { OwnFieldsService } from './own-fields.service';

/** The fields that customers add to canonical types: their definitions, and how far reading has come. */
@Module({
  imports: [AgreementsModule, AuthModule, OwnFieldsLookupModule, RecordsModule],
  providers: [OwnFieldsService, FieldReader],
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
