import { Module } from '@nestjs/common';
import { HealthController } from './health.controller';
import { HealthService } from './health.service';
import { ProbesController } from './probes.controller';
import { ReadinessService } from './readiness.service';

@Module({
  controllers: [HealthController, ProbesController],
  providers: [HealthService, ReadinessService],
  exports: [ReadinessService],
})
export class HealthModule {}
