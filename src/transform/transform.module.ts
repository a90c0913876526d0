import { Module } from '@nestjs/common';
import { OwnFieldsLookupModule } from '../records/terms/own-fields-lookup.module';
import { TransformController } from './transform.controller';
import { TransformService } from './transform.service';

@Module({
  imports: [OwnFieldsLookupModule],
  controllers: [TransformController],
  providers: [TransformService],
  exports: [TransformService],
})
export class TransformModule {}
