import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Request } from 'express';
import { invalidInput } from '../errors/api-error';
import { ANY_QUERY } from './any-query.decorator';
import { unknownParameters } from './query-names';
import { READS_QUERY } from './valid-input.decorators';

/**
 * Refuses every query parameter of a route whose handler reads no query: a caller who puts a member of the body there,
 * such as `dry_run`, would otherwise get another effect than the one asked for. A handler with `ValidQuery` declares
 * its parameters, and the pipe refuses all others together with other problems.
 */
@Injectable()
export class KnownQueryGuard implements CanActivate {
  constructor(private readonly reflector: Reflector) {}

  /** @throws ApiError 400 naming each parameter */
  canActivate(context: ExecutionContext): true {
    const request = context.switchToHttp().getRequest<Request>();
    if (!request.url.includes('?')) return true;
    const handler = context.getHandler();
    const isRead =
      this.reflector.get<boolean | undefined>(READS_QUERY, handler) === true ||
      this.reflector.get<boolean | undefined>(ANY_QUERY, context.getClass()) === true;
    const problems = isRead ? [] : unknownParameters(request.query, () => false);
    if (problems.length > 0) throw invalidInput(problems);
    return true;
  }
}
