import { Module, type DynamicModule } from '@nestjs/common';
import { APP_FILTER, APP_GUARD, APP_INTERCEPTOR } from '@nestjs/core';
import { ApiKeyGuard } from './auth/guard/api-key.guard';
import { AuthModule } from './auth/auth.module';
import { KeyChangesModule } from './auth/key-changes.module';
import { AttentionWatchModule } from './attention/attention.module';
import { ClockModule } from './runtime/clock/clock.module';
import { ClockWatchModule } from './runtime/background/clock-watch.module';
import { ConfigModule } from './runtime/config/config.module';
import type { Environment } from './runtime/config/environment';
import { ConnectionsModule } from './connections/connections.module';
import { DatabaseModule } from './database/database.module';
import { DecisionsModule } from './reconciliation/decisions/decisions.module';
import { ReviewsModule } from './reconciliation/reviews/reviews.module';
import { SignoffsModule } from './reconciliation/signoffs/signoffs.module';
import { DemoModule } from './demo/demo.module';
import { FairnessModule } from './runtime/fairness/fairness.module';
import { FieldsModule } from './fields/fields.module';
import { HealthModule } from './health/health.module';
import { EnvelopeInterceptor } from './common/response/envelope.interceptor';
import { AllExceptionsFilter } from './common/response/exception.filter';
import { RequestAdmission } from './common/admission/request-admission';
import { ResponseMemoryModule } from './common/response/memory/response-memory.module';
import { EventsModule } from './events/events.module';
import { FairTurnGuard } from './common/admission/fair-turn.guard';
import { JsonBodyGuard } from './common/body/json-body.guard';
import { KnownQueryGuard } from './common/validation/known-query.guard';
import { RequestBodiesModule } from './common/body/request-bodies.module';
import type { Logger } from './runtime/logging/logger';
import { LoggingModule } from './runtime/logging/logging.module';
import { McpModule } from './mcp/mcp.module';
import { MeModule } from './me/me.module';
import { MetricsModule } from './runtime/metrics/metrics.module';
import { ObjectsModule } from './objects/objects.module';
import { OpenApiModule } from './common/openapi/openapi.module';
import { PassthroughModule } from './passthrough/passthrough.module';
import { PrecedenceModule } from './precedence/precedence.module';
import { PropagateModule } from './propagate/propagate.module';
import { RateLimitGuard } from './common/rate-limit/rate-limit.guard';
import { RateLimitModule } from './common/rate-limit/rate-limit.module';
import { BackgroundModule } from './runtime/background/background.module';
import { RatesApiModule } from './rates/rates.module';
import { RulesModule } from './rules/rules.module';
import { SchemaModule } from './schema/schema.module';
import { SpansModule } from './runtime/opentelemetry/spans.module';
import { ReconciliationModule } from './reconciliation/reconciliation.module';
import { StorageQuotaModule } from './records/storage-quota/storage-quota.module';
import { TransformModule } from './transform/transform.module';
import { WebhookEndpointsModule } from './webhook-endpoints/webhook-endpoints.module';
import { WebhooksModule } from './webhooks/webhooks.module';

/**
 * The whole service. Every request passes the providers below in their order: limit (429), key (401, 403), turn (502),
 * body (413, 400), query (400), DTO (400), handler. The order of refusals is the order of these lines.
 */
@Module({
  imports: [
    ClockModule,
    ClockWatchModule,
    BackgroundModule,
    FairnessModule,
    RequestBodiesModule,
    DatabaseModule,
    MetricsModule,
    SpansModule,
    StorageQuotaModule,
    AuthModule,
    KeyChangesModule,
    RateLimitModule,
    DemoModule,
    ResponseMemoryModule,
    HealthModule,
    MeModule,
    ConnectionsModule,
    ObjectsModule,
    PropagateModule,
    PassthroughModule,
    DecisionsModule,
    ReviewsModule,
    SignoffsModule,
    ReconciliationModule,
    RatesApiModule,
    PrecedenceModule,
    RulesModule,
    FieldsModule,
    SchemaModule,
    TransformModule,
    WebhooksModule,
    EventsModule,
    WebhookEndpointsModule,
    AttentionWatchModule,
    OpenApiModule,
    McpModule,
  ],
  providers: [
    RequestAdmission,
    { provide: APP_FILTER, useClass: AllExceptionsFilter },
    { provide: APP_GUARD, useClass: RateLimitGuard },
    { provide: APP_GUARD, useClass: ApiKeyGuard },
    { provide: APP_GUARD, useClass: FairTurnGuard },
    { provide: APP_GUARD, useClass: JsonBodyGuard },
    { provide: APP_GUARD, useClass: KnownQueryGuard },
    { provide: APP_INTERCEPTOR, useClass: EnvelopeInterceptor },
  ],
})
export class AppModule {
  static forRoot(environment: Environment, logger: Logger): DynamicModule {
    return { module: AppModule, imports: [ConfigModule.forRoot(environment), LoggingModule.forRoot(logger)] };
  }
}
