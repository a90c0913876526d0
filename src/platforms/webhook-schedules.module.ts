import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { WebhookScheduleRow } from '../database/entities/webhook-schedule.entity';
import { WebhookSchedulesRepository } from './webhook-schedules.repository';

/** When the webhooks of live connections are checked. */
@Module({
  imports: [TypeOrmModule.forFeature([WebhookScheduleRow])],
  providers: [WebhookSchedulesRepository],
  exports: [WebhookSchedulesRepository],
})
export class WebhookSchedulesModule {}
