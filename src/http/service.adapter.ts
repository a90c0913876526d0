import { ExpressAdapter } from '@nestjs/platform-express';
import type { RequestHandler, Response } from 'express';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { ApiError, invalidInput } from '../errors/api-error';
import type { Answers } from './answers';
import { flatMessages, type ExpressApplication } from './flat-messages';
import { declaresJson } from './json-only.middleware';
import { answerRaw } from './raw-answer';
import { cutWhenStalled } from './stalled-answer';
import { discardUnreadBody } from './unread-body';

const SECOND = 1000;
/** Time between two looks for connections that became idle, while the server stops. */
const SWEEP = 50;

/** Express under Nest, with a server that answers every refusal in our form, also those Node would make by itself. */
export class ServiceAdapter extends ExpressAdapter {
  /** The answers that are not out yet. */
  private readonly inFlight = new Set<ServerResponse>();
  private readonly lastOn = new WeakMap<Duplex, ServerResponse>();
  /** Connections on which there was no request yet. Node does not count them as idle. */
  private readonly unused = new Set<Socket>();

  /** Sends what handlers return. */
  answers: Answers | undefined;

  /** Nest calls it with the result of a handler, and awaits it: what it throws is answered as what the handler throws. */
  override async reply(response: Response, result: unknown): Promise<void> {
    if (this.answers === undefined) throw new Error('The application was not configured');
    const rest = await this.answers.send(response, result);
    if (rest !== undefined) super.reply(response, rest);
  }

  override initHttpServer(): void {
    const app = this.getInstance<ExpressApplication>();
    const serve = (request: IncomingMessage, response: ServerResponse): void => {
      this.lastOn.set(request.socket, response);
      this.unused.delete(request.socket);
      this.inFlight.add(response);
      response.once('close', () => this.inFlight.delete(response));
      request.url = originForm(request.url ?? '/');
      discardUnreadBody(request, response);
      cutWhenStalled(response);
      app(request, response);
    };
    const server: Server = createServer({
      ...flatMessages(app),
      headersTimeout: 20 * SECOND,
      requestTimeout: 60 * SECOND,
      connectionsCheckingInterval: 5 * SECOND,
      // Above the idle time of common load balancers, so that it is they who close a connection.
      keepAliveTimeout: 65 * SECOND,
      requireHostHeader: false, // See requireHost.
    });
    server.on('connection', (socket) => {
      this.unused.add(socket);
      socket.once('close', () => this.unused.delete(socket));
    });
    server.on('request', serve);
    // RFC 9110 §10.1.1 lets a server ignore an expectation it does not know.
    server.on('checkExpectation', serve);
    server.on('connect', (request: IncomingMessage, socket: Duplex) =>
      answerRaw(socket, refusalOfConnect(request)),
    );
    server.on('clientError', (error: NodeJS.ErrnoException, socket: Duplex) => this.refuse(error, socket));
    this.httpServer = server;
  }

  /** One handler for all paths. Nest's own leaves those outside the prefix to Express, which answers in HTML. */
  override setNotFoundHandler(handler: RequestHandler): void {
    this.use(handler);
  }

  /**
   * Stops accepting connections and waits until the last answer is out; idle connections are closed at once.
   *
   * @param patience milliseconds after which connections are cut, whatever they do
   */
  async closeGracefully(patience: number): Promise<void> {
    const server: Server = this.httpServer;
    if (!server.listening) return;
    // A connection that keeps sending would never be idle. Those that are busy now close after their answer, …
    for (const response of this.inFlight) closeAfter(response);
    // … and so do those that were accepted just before.
    server.prependListener('request', (_request: IncomingMessage, response: ServerResponse) =>
      closeAfter(response),
    );
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    const sweep = setInterval(() => {
      server.closeIdleConnections();
      for (const socket of this.unused) if (socket.bytesRead === 0) socket.destroy();
    }, SWEEP);
    const deadline = setTimeout(() => server.closeAllConnections(), patience);
    await closed;
    clearInterval(sweep);
    clearTimeout(deadline);
  }

  private refuse(error: NodeJS.ErrnoException, socket: Duplex): void {
    const last = this.lastOn.get(socket);
    // The fault lies in the body of a request whose answer has begun: a second answer would be taken for the next one's.
    const answered = last !== undefined && last.headersSent && !last.req.complete;
    if (error.code === 'ECONNRESET' || answered || !socket.writable) socket.destroy(error);
    else answerRaw(socket, refusalOfClientError(error));
  }
}

/**
 * The path and query of a request's target, which may also be a whole URL (RFC 9112 §3.2.2); one without a path means the
 * root. Express finds no path in some of these, and answers by itself.
 */
function originForm(target: string): string {
  const rest = target.replace(/^[a-z][a-z\d+.-]*:\/\/[^/?#]*/i, '');
  return rest === target || rest.startsWith('/') ? rest : `/${rest}`;
}

function closeAfter(response: ServerResponse): void {
  if (!response.headersSent) response.setHeader('Connection', 'close');
}

function refusalOfConnect(request: IncomingMessage): ApiError {
  return declaresJson(request)
    ? new ApiError('NOT_FOUND', 'There is no such route')
    : new ApiError('UNSUPPORTED_MEDIA_TYPE', 'Content-Type must be application/json, in UTF-8');
}

function refusalOfClientError(error: NodeJS.ErrnoException): ApiError {
  switch (error.code) {
    case 'HPE_HEADER_OVERFLOW':
      return invalidInput(['the header fields are too large'], { status: 431 });
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return invalidInput(['the request took too long to arrive'], { status: 408 });
    default:
      return invalidInput(['the request is not HTTP']);
  }
}
