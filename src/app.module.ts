import { Module, type DynamicModule } from '@nestjs/common';
import { APP_FILTER, APP_GUARD } from '@nestjs/core';
import { ApiKeyGuard } from './auth/api-key.guard';
import { AuthModule } from './auth/auth.module';
import { KeyChangesModule } from './auth/key-changes.module';
import { ClockModule } from './clock/clock.module';
import { ClockWatchModule } from './clock/clock-watch.module';
import { ConfigModule } from './config/config.module';
import type { Environment } from './config/environment';
import { ConnectionsModule } from './connections/connections.module';
import { DatabaseModule } from './database/database.module';
import { DecisionsModule } from './decisions/decisions.module';
import { DemoModule } from './demo/demo.module';
import { FairnessModule } from './fairness/fairness.module';
import { HealthModule } from './health/health.module';
import { AnswerFormGuard } from './http/answer-form.guard';
import { Answers } from './http/answers';
import { AllExceptionsFilter } from './http/exception.filter';
import { Entrance } from './http/entrance';
import { AnswerMemoryModule } from './http/answer-memory.module';
import { FairTurnGuard } from './http/fair-turn.guard';
import { JsonBodyGuard } from './http/json-body.guard';
import { KnownQueryGuard } from './http/known-query.guard';
import { RequestBodiesModule } from './http/request-bodies.module';
import type { Logger } from './logging/logger';
import { LoggingModule } from './logging/logging.module';
import { MetricsModule } from './metrics/metrics.module';
import { ObjectsModule } from './objects/objects.module';
import { OpenApiModule } from './openapi/openapi.module';
import { PropagateModule } from './propagate/propagate.module';
import { RateLimitGuard } from './rate-limit/rate-limit.guard';
import { RateLimitModule } from './rate-limit/rate-limit.module';
import { ScheduleModule } from './schedule/schedule.module';
import { StatementModule } from './statement/statement.module';
import { StorageQuotaModule } from './storage-quota/storage-quota.module';
import { TransformModule } from './transform/transform.module';
import { WebhooksModule } from './webhooks/webhooks.module';

/**
 * The whole service. Every request passes the providers below in their order: limit (429), key (401, 403), turn (502),
 * body (413, 400), query (400), DTO (400), handler. The order of refusals is the order of these lines.
 */
@Module({
  imports: [
    ClockModule,
    ClockWatchModule,
    ScheduleModule,
    FairnessModule,
    RequestBodiesModule,
    DatabaseModule,
    MetricsModule,
    StorageQuotaModule,
    AuthModule,
    KeyChangesModule,
    RateLimitModule,
    DemoModule,
    AnswerMemoryModule,
    HealthModule,
    ConnectionsModule,
    ObjectsModule,
    PropagateModule,
    DecisionsModule,
    StatementModule,
    TransformModule,
    WebhooksModule,
    OpenApiModule,
  ],
  providers: [
    Answers,
    Entrance,
    { provide: APP_FILTER, useClass: AllExceptionsFilter },
    { provide: APP_GUARD, useClass: RateLimitGuard },
    { provide: APP_GUARD, useClass: ApiKeyGuard },
    { provide: APP_GUARD, useClass: FairTurnGuard },
    { provide: APP_GUARD, useClass: AnswerFormGuard },
    { provide: APP_GUARD, useClass: JsonBodyGuard },
    { provide: APP_GUARD, useClass: KnownQueryGuard },
  ],
})
export class AppModule {
  static forRoot(environment: Environment, logger: Logger): DynamicModule {
    return { module: AppModule, imports: [ConfigModule.forRoot(environment), LoggingModule.forRoot(logger)] };
  }
}
