import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { ConnectionRow } from '../database/entities/connection.entity';
import { ConnectionsRepository } from '../records/connections/connections.repository';
import { SchemaController } from './schema.controller';
import { SchemaService } from './schema.service';

/** `/schema`. */
@Module({
  imports: [TypeOrmModule.forFeature([ConnectionRow])],
  controllers: [SchemaController],
  providers: [SchemaService, ConnectionsRepository],
  exports: [SchemaService],
})
export class SchemaModule {}
