import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AuthModule } from '../auth/auth.module';
import { ConnectionRow } from '../database/entities/connection.entity';
import { ConnectionsRepository } from '../records/connections/connections.repository';
import { MeController } from './me.controller';
import { MeService } from './me.service';

@Module({
  imports: [AuthModule, TypeOrmModule.forFeature([ConnectionRow])],
  controllers: [MeController],
  providers: [MeService, ConnectionsRepository],
})
export class MeModule {}
