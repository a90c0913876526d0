import { stringifyJson } from '@app/mapper';
import { Inject, Injectable, StreamableFile } from '@nestjs/common';
import type { Response } from 'express';
import { loggedRequest } from '../../runtime/tracing/request-context';
import { LOGGER, type Logger } from '../../runtime/logging/logger';
import { AnswerMemory } from './answer-memory';
import { ClientGone } from '../request/client-gone';
import { sendJson, sendJsonPieces, sendText } from './json-answer';
import { JsonBytes } from './json-bytes';
import { JsonText } from './json-text';
import { KeptAnswer, REPLAYED } from './kept-answer';
import { nextLink, Paged } from '../paging/paging';
import { streamedAnswer } from './streamed-answer';
import { StreamedJson } from './streamed-json';
import { StreamedText } from './streamed-text';

/**
 * Puts `data` around what handlers return, and writes it as JSON. No controller builds an envelope. The adapter calls it,
 * not Nest: an interceptor would cost every request an observable with all that Nest puts around it.
 */
@Injectable()
export class Answers {
  constructor(
    private readonly memory: AnswerMemory,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /**
   * Sends the result of a handler.
   *
   * @returns what is left for the adapter to send: the rest of a long listing
   * @throws what the pieces of a streamed result throw before the answer has begun
   */
  send(response: Response, result: unknown): Promise<StreamableFile | undefined> | undefined {
    // Success is 200 for every POST; Nest makes it 201.
    if (response.statusCode === 201) response.statusCode = 200;
    if (result === undefined) response.end();
    else if (result instanceof StreamedJson || result instanceof StreamedText) {
      return this.stream(response, result);
    } else if (result instanceof JsonBytes) this.writePieces(response, result);
    else if (result instanceof KeptAnswer) this.writeKept(response, result);
    else if (result instanceof Paged) this.writePage(response, result);
    else this.write(response, textOf(result, response.req.isBare === true));
    return undefined;
  }

  private write(response: Response, text: string | Buffer): void {
    this.memory.count(response, text.length);
    sendJson(response, text);
  }

  private writeKept(response: Response, { text, status, isReplay }: KeptAnswer): void {
    response.statusCode = status;
    if (isReplay) response.setHeader(REPLAYED, 'true');
    this.write(response, textOf(new JsonText(text), response.req.isBare === true));
  }

  private writeText(response: Response, text: string | Buffer, type: string): void {
    this.memory.count(response, text.length);
    sendText(response, text, type);
  }

  private writePieces(response: Response, { pieces }: JsonBytes): void {
    const bytes = pieces.reduce((sum, piece) => sum + piece.length, 0);
    this.memory.count(response, bytes);
    sendJsonPieces(response, response.req.isBare === true ? pieces : ['{"data":', ...pieces, '}']);
  }

  private writePage(response: Response, { data, nextCursor, beside }: Paged<unknown>): void {
    if (nextCursor !== null) response.setHeader('Link', nextLink(response.req.originalUrl, nextCursor));
    const members = stringifyJson({ ...beside, next_cursor: nextCursor });
    const pieces =
      data instanceof JsonBytes ? data.pieces : [data instanceof JsonText ? data.text : stringifyJson(data)];
    const text = ['{"data":', ...pieces, `,${members.slice(1)}`];
    this.memory.count(
      response,
      text.reduce((sum, piece) => sum + piece.length, 0),
    );
    sendJsonPieces(response, text);
  }

  private async stream(
    response: Response,
    result: StreamedJson | StreamedText,
  ): Promise<StreamableFile | undefined> {
    const { isBare, context } = response.req;
    const isText = result instanceof StreamedText;
    const answer = await streamedAnswer(result, isText || isBare === true);
    if (isText) response.setHeader('Content-Disposition', `attachment; filename="${result.fileName}"`);
    if (!(answer instanceof StreamableFile)) {
      if (isText) this.writeText(response, answer, result.type);
      else this.write(response, answer);
      return undefined;
    }
    this.memory.count(response);
    // The status line is out or about to be; the only thing left to show is that the answer is not whole.
    return answer.setErrorHandler((err) => {
      if (!(err instanceof ClientGone))
        this.logger.error({ ...loggedRequest(context), err }, 'An answer broke off midway');
      response.destroy();
    });
  }
}

function textOf(result: unknown, bare: boolean): string {
  if (result instanceof JsonText) return bare ? result.text : `{"data":${result.text}}`;
  return stringifyJson(bare ? result : { data: result });
}
