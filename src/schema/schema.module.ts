import { Module } from '@nestjs/common';
import { RecordsModule } from '../records/records.module';
import { SchemaController } from './schema.controller';
import { SchemaService } from './schema.service';

/** `/schema`. */
@Module({
  imports: [RecordsModule],
  controllers: [SchemaController],
  providers: [SchemaService],
  exports: [SchemaService],
})
export class SchemaModule {}
