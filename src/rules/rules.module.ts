import { Module } from '@nestjs/common';
import { IdempotencyModule } from '../common/idempotency/idempotency.module';
import { AgreementsModule } from '../terms/agreements/agreements.module';
import { RulesController } from './rules.controller';
import { RulesService } from './rules.service';

/** `/rules`. */
@Module({
  imports: [IdempotencyModule, AgreementsModule],
  controllers: [RulesController],
  providers: [RulesService],
})
export class RulesModule {}
