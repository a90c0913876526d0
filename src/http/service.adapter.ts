import { ExpressAdapter } from '@nestjs/platform-express';
import type { RequestHandler, Response } from 'express';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { ApiError, invalidInput } from '../errors/api-error';
import type { Answers } from './answers';
import { sendWaiting } from './end-of-turn';
import type { Entrance } from './entrance';
import { flatMessages, type ExpressApplication } from './flat-messages';
import { declaresJson } from './json-only.middleware';
import { answerRaw } from './raw-answer';
import { cutWhenStalled } from './stalled-answer';
import { discardUnreadBodies } from './unread-body';

const SECOND = 1000;
/** Connections that the system keeps until we take them, if it allows as many; it drops or resets further ones. Node's own limit is 511. */
const BACKLOG = 4_096;
/** Time between two looks for connections that became idle, while the server stops. */
const SWEEP = 50;

interface Connection {
  readonly socket: Socket;
  /** Of the request under way, or of one whose body is still arriving; undefined while the connection is idle. */
  answer: ServerResponse | undefined;
}

/** Express under Nest, with a server that answers every refusal in our form, also those Node would make by itself. */
export class ServiceAdapter extends ExpressAdapter {
  /**
   * The open connections. Nothing is kept for each answer by itself: a set that changes with every request is copied again
   * and again, and its old copies let the engine take all answers for needed for a long time, which costs a tenth of a
   * small request.
   */
  private readonly connections = new Map<Duplex, Connection>();

  /** Sends what handlers return. */
  answers: Answers | undefined;

  /** Lets requests in. */
  entrance: Entrance | undefined;

  /** Nest calls it with the result of a handler, and awaits it: what it throws is answered as what the handler throws. */
  override reply(response: Response, result: unknown): void | Promise<void> {
    if (this.answers === undefined) throw new Error('The application was not configured');
    // Mostly it is out by now, and nothing has to be awaited.
    return this.answers.send(response, result)?.then((rest) => {
      if (rest !== undefined) super.reply(response, rest);
    });
  }

  override initHttpServer(): void {
    const app = this.getInstance<ExpressApplication>();
    const serve = (request: IncomingMessage, response: ServerResponse): void => {
      const connection = this.connections.get(request.socket);
      if (connection !== undefined) {
        connection.answer = response;
        response.on('close', forgetAnswer);
      }
      request.url = originForm(request.url ?? '/');
      const begin = (): void => void app(request, response);
      if (this.entrance === undefined) begin();
      else this.entrance.enter(request, response, begin);
    };
    const { connections } = this;
    // An idle connection keeps nothing of its last request: of hundreds, that is what the collector would carry along.
    const forgetAnswer = function (this: ServerResponse): void {
      const connection = connections.get(this.req.socket);
      if (connection?.answer === this && this.req.complete) connection.answer = undefined;
    };
    const messages = flatMessages(app);
    const answers = messages.ServerResponse.prototype as ServerResponse;
    discardUnreadBodies(answers);
    cutWhenStalled(answers);
    const server: Server = createServer({
      ...messages,
      headersTimeout: 20 * SECOND,
      requestTimeout: 60 * SECOND,
      connectionsCheckingInterval: 5 * SECOND,
      // Above the idle time of common load balancers, so that it is they who close a connection.
      keepAliveTimeout: 65 * SECOND,
      requireHostHeader: false, // See requireHost.
    });
    server.on('connection', (socket) => {
      this.connections.set(socket, { socket, answer: undefined });
      socket.once('close', () => this.connections.delete(socket));
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

  /** As Nest calls it: the host may be left out, and the callback comes last. */
  override listen(port: string | number, ...rest: readonly (string | (() => void) | undefined)[]): Server {
    const host = rest.find((each) => typeof each === 'string');
    const listening = rest.find((each) => typeof each === 'function');
    const server: Server = this.httpServer;
    return server.listen({ port: Number(port), host, backlog: BACKLOG }, listening);
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
    for (const { answer } of this.connections.values()) if (answer !== undefined) closeAfter(answer);
    // … and so do those that were accepted just before.
    server.prependListener('request', (_request: IncomingMessage, response: ServerResponse) =>
      closeAfter(response),
    );
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    const sweep = setInterval(() => {
      server.closeIdleConnections();
      // Node does not count those as idle on which there was no request yet.
      for (const { socket, answer } of this.connections.values()) {
        if (answer === undefined && socket.bytesRead === 0) socket.destroy();
      }
    }, SWEEP);
    const deadline = setTimeout(() => server.closeAllConnections(), patience);
    await closed;
    clearInterval(sweep);
    clearTimeout(deadline);
  }

  private refuse(error: NodeJS.ErrnoException, socket: Duplex): void {
    sendWaiting(); // The answer before may be among them.
    const last = this.connections.get(socket)?.answer;
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
  if (target.startsWith('/')) return target;
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
