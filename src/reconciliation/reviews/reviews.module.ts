import { Module } from '@nestjs/common';
import { IdempotencyModule } from '../../common/idempotency/idempotency.module';
import { CustomerTimesModule } from '../../common/paging/customer-times.module';
import { CasesModule } from '../cases/cases.module';
import { ReviewRetention } from './review-retention';
import { ReviewsController } from './reviews.controller';
import { ReviewsService } from './reviews.service';

/** Writes about cases: `/reconciliation/cases`. */
@Module({
  imports: [CasesModule, CustomerTimesModule, IdempotencyModule],
  controllers: [ReviewsController],
  providers: [ReviewsService, ReviewRetention],
})
export class ReviewsModule {}
