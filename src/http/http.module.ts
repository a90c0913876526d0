import { Module } from '@nestjs/common';
import { APP_FILTER, APP_GUARD, APP_INTERCEPTOR, APP_PIPE } from '@nestjs/core';
import { ApiKeyGuard } from '../auth/api-key.guard';
import { AuthModule } from '../auth/auth.module';
import { DtoPipe } from './dto.pipe';
import { EnvelopeInterceptor } from './envelope.interceptor';
import { AllExceptionsFilter } from './exception.filter';
import { JsonBodyInterceptor } from './json-body.interceptor';
import { RateLimitGuard } from '../rate-limit/rate-limit.guard';
import { RateLimitModule } from '../rate-limit/rate-limit.module';

/**
 * What every request passes behind the middleware, in this order: limit (429), key (401), body (413, 400), then the
 * DTO (400) and the handler. The order of refusals is the order of these lines.
 */
@Module({
  imports: [AuthModule, RateLimitModule],
  providers: [
    { provide: APP_FILTER, useClass: AllExceptionsFilter },
    { provide: APP_GUARD, useClass: RateLimitGuard },
    { provide: APP_GUARD, useClass: ApiKeyGuard },
    { provide: APP_INTERCEPTOR, useClass: JsonBodyInterceptor },
    { provide: APP_INTERCEPTOR, useClass: EnvelopeInterceptor },
    { provide: APP_PIPE, useClass: DtoPipe },
  ],
})
export class HttpModule {}
