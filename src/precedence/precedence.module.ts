import { Module } from '@nestjs/common';
import { IdempotencyModule } from '../common/idempotency/idempotency.module';
import { AgreementsModule } from '../terms/agreements/agreements.module';
import { OwnFieldsLookupModule } from '../records/terms/own-fields-lookup.module';
import { PrecedenceController } from './precedence.controller';
import { PrecedenceService } from './precedence.service';

/** `/precedence`. */
@Module({
  imports: [IdempotencyModule, AgreementsModule, OwnFieldsLookupModule],
  controllers: [PrecedenceController],
  providers: [PrecedenceService],
})
export class PrecedenceModule {}
