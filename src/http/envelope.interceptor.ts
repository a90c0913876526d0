import { stringifyJson } from '@app/mapper';
import {
  Inject,
  Injectable,
  StreamableFile,
  type CallHandler,
  type ExecutionContext,
  type NestInterceptor,
} from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Request, Response } from 'express';
import { mergeMap, type Observable } from 'rxjs';
import { LOGGER, type Logger } from '../logging/logger';
import { BARE } from './bare.decorator';
import { streamedAnswer } from './streamed-answer';
import { StreamedJson } from './streamed-json';

/** A client that takes nothing for this long, in milliseconds, is cut off: its answer holds a database connection. */
const STALLED_AFTER = 30_000;

/** Puts `data` around what handlers return, and writes it as JSON. No controller builds an envelope. */
@Injectable()
export class EnvelopeInterceptor implements NestInterceptor {
  constructor(
    private readonly reflector: Reflector,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const request = context.switchToHttp().getRequest<Request>();
    const response = context.switchToHttp().getResponse<Response>();
    const bare = this.reflector.get<boolean | undefined>(BARE, context.getHandler()) === true;
    // Success is 200 for every POST; Nest would make it 201.
    if (response.statusCode === 201) response.status(200);

    return next.handle().pipe(
      mergeMap(async (result: unknown) => {
        if (result === undefined) return undefined;
        response.type('application/json');
        if (!(result instanceof StreamedJson)) return stringifyJson(bare ? result : { data: result });
        const answer = await streamedAnswer(result, bare);
        return typeof answer === 'string' ? answer : this.stream(answer, request, response);
      }),
    );
  }

  private stream(answer: StreamableFile, request: Request, response: Response): StreamableFile {
    response.setTimeout(STALLED_AFTER, () => response.destroy());
    // The status line is out or about to be; all that can still be said is that the answer is not whole.
    return answer.setErrorHandler((err) => {
      this.logger.error({ request_id: request.requestId, err }, 'An answer broke off midway');
      response.destroy();
    });
  }
}
