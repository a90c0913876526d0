import { Module, type DynamicModule } from '@nestjs/common';
import { APP_FILTER, APP_GUARD } from '@nestjs/core';
import { ApiKeyGuard } from './auth/api-key.guard';
import { AuthModule } from './auth/auth.module';
import { KeyChangesModule } from './auth/key-changes.module';
import { ClockModule } from './clock/clock.module';
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
import { FairTurnGuard } from './http/fair-turn.guard';
import { JsonBodyGuard } from './http/json-body.guard';
import { LargeBodies } from './http/large-bodies';
import { UnreadAnswers } from './http/unread-answers';
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
import { TransformModule } from './transform/transform.module';
import { WebhooksModule } from './webhooks/webhooks.module';

/**
 * The whole service. Every request passes the providers below in their order: limit (429), key (401, 403), turn (502),
 * body (413, 400), DTO (400), handler. The order of refusals is the order of these lines.
 */
@Module({
  imports: [
    ClockModule,
    ScheduleModule,
    FairnessModule,
    DatabaseModule,
    MetricsModule,
    AuthModule,
    KeyChangesModule,
    RateLimitModule,
    DemoModule,
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
    LargeBodies,
    { provide: UnreadAnswers, useFactory: () => new UnreadAnswers() },
    Answers,
    Entrance,
    { provide: APP_FILTER, useClass: AllExceptionsFilter },
    { provide: APP_GUARD, useClass: RateLimitGuard },
    { provide: APP_GUARD, useClass: ApiKeyGuard },
    { provide: APP_GUARD, useClass: FairTurnGuard },
    { provide: APP_GUARD, useClass: AnswerFormGuard },
    { provide: APP_GUARD, useClass: JsonBodyGuard },
  ],
})
export class AppModule {
  static forRoot(environment: Environment, logger: Logger): DynamicModule {
    return { module: AppModule, imports: [ConfigModule.forRoot(environment), LoggingModule.forRoot(logger)] };
  }
}
