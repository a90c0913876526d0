import { Module } from '@nestjs/common';
import { IdempotencyModule } from '../common/idempotency/idempotency.module';
import { AgreementsModule } from '../terms/agreements/agreements.module';
import { PrecedenceController } from './precedence.controller';
import { PrecedenceService } from './precedence.service';

/** `/precedence`. */
@Module({
  imports: [IdempotencyModule, AgreementsModule],
  controllers: [PrecedenceController],
  providers: [PrecedenceService],
})
export class PrecedenceModule {}
