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
import { ClientGone } from './client-gone';
import { JsonText } from './json-text';
import { streamedAnswer } from './streamed-answer';
import { StreamedJson } from './streamed-json';
import { STREAM_BYTES, UnreadAnswers } from './unread-answers';

/** Puts `data` around what handlers return, and writes it as JSON. No controller builds an envelope. */
@Injectable()
export class EnvelopeInterceptor implements NestInterceptor {
  constructor(
    private readonly reflector: Reflector,
    private readonly unread: UnreadAnswers,
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
        const answer = await textOf(result, bare);
        const owner = request.caller?.customer.id ?? request.ip ?? '';
        if (answer instanceof StreamableFile) return this.stream(answer, owner, request, response);
        this.unread.count(owner, response, answer.length);
        return answer;
      }),
    );
  }

  private stream(
    answer: StreamableFile,
    owner: string,
    request: Request,
    response: Response,
  ): StreamableFile {
    this.unread.count(owner, response, STREAM_BYTES);
    // The status line is out or about to be; the only thing left to show is that the answer is not whole.
    return answer.setErrorHandler((err) => {
      if (!(err instanceof ClientGone))
        this.logger.error({ request_id: request.requestId, err }, 'An answer broke off midway');
      response.destroy();
    });
  }
}

async function textOf(result: unknown, bare: boolean): Promise<string | StreamableFile> {
  if (result instanceof StreamedJson) return streamedAnswer(result, bare);
  if (result instanceof JsonText) return bare ? result.text : `{"data":${result.text}}`;
  return stringifyJson(bare ? result : { data: result });
}
