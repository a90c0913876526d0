import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import type { RequestContext } from '../../runtime/tracing/request-context';

/** The request's ID and trace, for the work of the request. */
export const CurrentRequest = createParamDecorator(
  (_: unknown, context: ExecutionContext): RequestContext =>
    context.switchToHttp().getRequest<Request>().context,
);
