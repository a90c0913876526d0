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
import { from, mergeMap, of, type Observable } from 'rxjs';
import { LOGGER, type Logger } from '../../runtime/logging/logger';
import { loggedRequest } from '../../runtime/tracing/request-context';
import { setStandardHeaders } from '../../runtime/tracing/request-id';
import { nextLink, Paged } from '../paging/paging';
import { ClientGone } from '../request/client-gone';
import { announceComplete } from './response-complete';
import { ResponseMemory } from './memory/response-memory';
import { BARE } from './bare.decorator';
import {
  JsonBytes,
  JSON_TYPE,
  JsonText,
  ReplayableResponse,
  REPLAYED,
  StreamedJson,
  StreamedText,
} from './handler-results';
import { piecesResponse, streamedResponse } from './streamed-response';

/** What Nest's adapter sends: text unchanged, a stream as it is read, nothing for a response without content. */
type SentBody = string | StreamableFile | undefined;

/** Puts `data` around the results of handlers, and writes them as JSON. No controller builds an envelope. */
@Injectable()
export class EnvelopeInterceptor implements NestInterceptor<unknown, SentBody> {
  constructor(
    private readonly reflector: Reflector,
    private readonly memory: ResponseMemory,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  intercept(context: ExecutionContext, next: CallHandler<unknown>): Observable<SentBody> {
    const http = context.switchToHttp();
    const response = http.getResponse<Response>();
    setStandardHeaders(response, http.getRequest<Request>().context.requestId);
    const bare = this.reflector.get<boolean | undefined>(BARE, context.getHandler()) === true;
    return next.handle().pipe(
      mergeMap((result) => {
        if (result instanceof StreamedJson || result instanceof StreamedText) {
          return from(this.streamed(response, result, bare));
        }
        return of(this.whole(response, result, bare));
      }),
    );
  }

  private whole(response: Response, result: unknown, bare: boolean): SentBody {
    if (result === undefined) return undefined;
    if (result instanceof Paged) return this.page(response, result);
    if (result instanceof JsonBytes)
      return this.pieces(response, bare ? result.pieces : inData(result.pieces));
    if (result instanceof JsonText) return this.json(response, result.text, bare);
    if (!(result instanceof ReplayableResponse)) return this.json(response, stringifyJson(result), bare);
    response.statusCode = result.status;
    if (result.isReplay) response.setHeader(REPLAYED, 'true');
    return this.json(response, result.text, bare);
  }

  private json(response: Response, text: string, bare: boolean): string {
    return this.text(response, bare ? text : `{"data":${text}}`, JSON_TYPE);
  }

  private text(response: Response, text: string, type: string): string {
    this.memory.count(response, text.length);
    response.setHeader('Content-Type', type);
    announceComplete(response);
    return text;
  }

  private page(response: Response, { data, nextCursor, beside }: Paged<unknown>): SentBody {
    if (nextCursor !== null) response.setHeader('Link', nextLink(response.req.originalUrl, nextCursor));
    const members = `,${stringifyJson({ ...beside, next_cursor: nextCursor }).slice(1)}`;
    if (data instanceof JsonBytes) return this.pieces(response, inData(data.pieces, members));
    const text = data instanceof JsonText ? data.text : stringifyJson(data);
    return this.text(response, `{"data":${text}${members}`, JSON_TYPE);
  }

  private pieces(response: Response, pieces: readonly Buffer[]): StreamableFile {
    const bytes = pieces.reduce((sum, piece) => sum + piece.length, 0);
    this.memory.count(response, bytes);
    announceComplete(response);
    return piecesResponse(pieces, bytes);
  }

  /** @throws what the pieces throw before the response has begun */
  private async streamed(
    response: Response,
    result: StreamedJson | StreamedText,
    bare: boolean,
  ): Promise<SentBody> {
    const isText = result instanceof StreamedText;
    const answer = await streamedResponse(result, isText || bare);
    if (isText) response.setHeader('Content-Disposition', `attachment; filename="${result.fileName}"`);
    if (!(answer instanceof StreamableFile)) {
      return this.text(response, answer, isText ? result.type : JSON_TYPE);
    }
    this.memory.count(response, isText ? undefined : result.held);
    // The status line is sent or about to be. The response can only be marked as incomplete.
    return answer.setErrorHandler((err) => {
      if (!(err instanceof ClientGone))
        this.logger.error({ ...loggedRequest(response.req.context), err }, 'An answer broke off midway');
      response.destroy();
    });
  }
}

function inData(pieces: readonly Buffer[], end = '}'): readonly Buffer[] {
  return [Buffer.from('{"data":'), ...pieces, Buffer.from(end)];
}
