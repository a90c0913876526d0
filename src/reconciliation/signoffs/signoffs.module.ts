import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { CsvFilesModule } from '../../common/csv/csv-files.module';
import { IdempotencyModule } from '../../common/idempotency/idempotency.module';
import { CustomerTimesModule } from '../../common/paging/customer-times.module';
import { ResponseMemoryModule } from '../../common/response/memory/response-memory.module';
import { StatementSignoffRow } from '../../database/entities/statement-signoff.entity';
import { ReconciliationModule } from '../reconciliation.module';
import { SignoffComparison } from './compared-signoffs';
import { ListedSignoffs } from './listed-signoffs.service';
import { SignoffsController } from './signoffs.controller';
import { SignoffsRepository } from './signoffs.repository';
import { SignoffsService } from './signoffs.service';

/** `/reconciliation/signoffs`. */
@Module({
  imports: [
    TypeOrmModule.forFeature([StatementSignoffRow]),
    ReconciliationModule,
    ResponseMemoryModule,
    CustomerTimesModule,
    CsvFilesModule,
    IdempotencyModule,
  ],
  controllers: [SignoffsController],
  providers: [SignoffsRepository, SignoffsService, ListedSignoffs, SignoffComparison],
})
export class SignoffsModule {}
