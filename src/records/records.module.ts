import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { CanonicalObjectRow } from '../database/entities/canonical-object.entity';
import { CanonicalObjectsRepository } from './objects/canonical-objects.repository';

/** Objects and their records, as they are stored. */
@Module({
  imports: [TypeOrmModule.forFeature([CanonicalObjectRow])],
  providers: [CanonicalObjectsRepository],
  exports: [CanonicalObjectsRepository],
})
export class RecordsModule {}
