import { Module } from '@nestjs/common';
import { TerminusModule } from '@nestjs/terminus';
import { DatabaseHealthIndicator } from './database.health-indicator';
import { HealthController } from './health.controller';
import { HealthService } from './health.service';
import { MigrationsHealthIndicator } from './migrations.health-indicator';
import { ProbesController } from './probes.controller';
import { ReadinessService } from './readiness.service';

@Module({
  // Its log would repeat with each probe a message that is already logged once.
  imports: [TerminusModule.forRoot({ logger: false })],
  controllers: [HealthController, ProbesController],
  providers: [DatabaseHealthIndicator, MigrationsHealthIndicator, HealthService, ReadinessService],
})
export class HealthModule {}
