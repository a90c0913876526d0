import { Module, type DynamicModule } from '@nestjs/common';
import { ClockModule } from './clock/clock.module';
import { ConfigModule } from './config/config.module';
import type { Environment } from './config/environment';
import { DatabaseModule } from './database/database.module';
import { ConnectionsModule } from './connections/connections.module';
import { DemoModule } from './demo/demo.module';
import { HealthModule } from './health/health.module';
import { HttpModule } from './http/http.module';
import type { Logger } from './logging/logger';
import { LoggingModule } from './logging/logging.module';
import { MetricsModule } from './metrics/metrics.module';
import { ObjectsModule } from './objects/objects.module';
import { OpenApiModule } from './openapi/openapi.module';
import { PropagateModule } from './propagate/propagate.module';
import { TransformModule } from './transform/transform.module';

/** The whole service. */
@Module({
  imports: [
    ClockModule,
    DatabaseModule,
    MetricsModule,
    HttpModule,
    DemoModule,
    HealthModule,
    ConnectionsModule,
    ObjectsModule,
    PropagateModule,
    TransformModule,
    OpenApiModule,
  ],
})
export class AppModule {
  static forRoot(environment: Environment, logger: Logger): DynamicModule {
    return { module: AppModule, imports: [ConfigModule.forRoot(environment), LoggingModule.forRoot(logger)] };
  }
}
