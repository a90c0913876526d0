import {
  Inject,
  Injectable,
  type CallHandler,
  type ExecutionContext,
  type NestInterceptor,
} from '@nestjs/common';
import type { Request } from 'express';
import { setImmediate as turnOfOthers } from 'node:timers/promises';
import type { Observable } from 'rxjs';
import { ENVIRONMENT, type Environment } from '../config/environment';
import { readBody } from './body-reader';
import { parseJsonBody } from './json-body';

/** Bytes of a body that costs enough for others to have a turn between parsing it and what comes then. */
const LARGE_BODY = 64 * 1024;

/**
 * Reads the body once the guards have let the request pass: nobody without a key makes us read and parse. Pipes run
 * behind interceptors, so the DTO finds the body in place.
 */
@Injectable()
export class JsonBodyInterceptor implements NestInterceptor {
  constructor(@Inject(ENVIRONMENT) private readonly environment: Environment) {}

  async intercept(context: ExecutionContext, next: CallHandler): Promise<Observable<unknown>> {
    const request = context.switchToHttp().getRequest<Request>();
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      const bytes = await readBody(request, this.environment.bodyLimitBytes);
      request.body = parseJsonBody(bytes);
      if (bytes.length > LARGE_BODY) await turnOfOthers();
    }
    return next.handle();
  }
}
