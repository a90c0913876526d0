import { Module } from '@nestjs/common';
import { AgreementsService } from './agreements.service';

/** Precedence and rules agreed with customers. */
@Module({
  providers: [AgreementsService],
  exports: [AgreementsService],
})
export class AgreementsModule {}
