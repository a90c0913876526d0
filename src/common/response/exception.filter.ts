import { Catch, Inject, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { Request, Response } from 'express';
import { stringifyJson } from '@app/mapper';
import { loggedRequest } from '../../runtime/tracing/request-context';
import { setStandardHeaders } from '../../runtime/tracing/request-id';
import { LOGGER, type Logger } from '../../runtime/logging/logger';
import { Overloaded } from '../../runtime/fairness/overloaded';
import { errorBody } from '../errors/error-body';
import { toApiError } from '../errors/error-translation';
import { ClientGone } from '../request/client-gone';
import { announceComplete } from './response-complete';
import { JSON_TYPE } from './handler-results';

/** The only place that turns errors into responses. */
@Catch()
export class AllExceptionsFilter implements ExceptionFilter {
  constructor(
    private readonly host: HttpAdapterHost,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  catch(thrown: unknown, host: ArgumentsHost): void {
    const request = host.switchToHttp().getRequest<Request>();
    const response = host.switchToHttp().getResponse<Response>();
    if (thrown instanceof ClientGone) {
      response.destroy();
      return;
    }
    const error = toApiError(thrown);
    if (error.cause instanceof Overloaded) {
      // Without the stack: there are many of these errors, and each has the same one.
      this.logger.warn({ ...loggedRequest(request.context), reason: error.cause.message }, 'Overloaded');
    } else if (error.status >= 500) {
      this.logger.error({ ...loggedRequest(request.context), err: error.cause ?? error }, error.message);
    }
    if (response.headersSent) {
      // A part of the response is sent. A proper end would make it look complete.
      response.destroy();
      return;
    }
    const { requestId } = request.context;
    setStandardHeaders(response, requestId);
    for (const [name, value] of Object.entries(error.headers)) response.setHeader(name, value);
    response.setHeader('Content-Type', JSON_TYPE);
    announceComplete(response);
    // Details contain canonical values, so numbers keep their spelling.
    const text = stringifyJson(errorBody(error.type, error.message, requestId, error.details));
    this.host.httpAdapter.reply(response, text, error.status);
  }
}
