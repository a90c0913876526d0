import { Module } from '@nestjs/common';
import { IdempotencyModule } from '../common/idempotency/idempotency.module';
import { OwnFieldsReadingModule } from '../terms/own-fields/own-fields.module';
import { FieldsController } from './fields.controller';
import { FieldsService } from './fields.service';

/** `/fields`. */
@Module({
  imports: [IdempotencyModule, OwnFieldsReadingModule],
  controllers: [FieldsController],
  providers: [FieldsService],
})
export class FieldsModule {}
