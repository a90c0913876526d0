import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';

/** The request's ID, as the X-Request-ID header of its answer. */
export const CurrentRequestId = createParamDecorator(
  (_: unknown, context: ExecutionContext): string =>
    context.switchToHttp().getRequest<Request>().context.requestId,
);
