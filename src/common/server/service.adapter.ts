import { ExpressAdapter } from '@nestjs/platform-express';
import type { RequestHandler } from 'express';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { Server as NetServer } from 'node:net';
import type { Duplex } from 'node:stream';
import { setImmediate as turn, setTimeout as pause } from 'node:timers/promises';
import { ApiError, invalidInput } from '../errors/api-error';
import { Connections } from './connections';
import type { RequestAdmission } from '../admission/request-admission';
import { sendTogether } from '../response/end-of-turn';
import { flatMessages, type ExpressApplication } from '../validation/flat-messages';
import { declaresJson } from '../body/json-only.middleware';
import { cutWhenStalled } from './stalled-answer';
import { discardUnreadBodies } from './unread-body';

const SECOND = 1000;
/** Connections that the system keeps until we take them, if it allows as many; it drops or resets further ones. Node's own limit is 511. */
const BACKLOG = 4_096;
/** Milliseconds between two looks for connections that became idle, while the server stops. */
const SWEEP = 50;
/** Milliseconds without a new connection after which the port is closed; between two looks; and that this may take at most. */
const QUIET = { least: 30, look: 5, limit: 500 } as const;

/** Express under Nest, with a server that answers every refusal in our form, also those Node would make by itself. */
export class ServiceAdapter extends ExpressAdapter {
  private readonly connections = new Connections();
  /** Requests that wait until the port is closed; undefined while none does. */
  private held: (() => void)[] | undefined;

  /** Lets requests in. */
  admission: RequestAdmission | undefined;

  override initHttpServer(): void {
    const app = this.getInstance<ExpressApplication>();
    const serve = (request: IncomingMessage, response: ServerResponse): void => {
      if (!this.connections.begin(request, response)) return;
      request.url = originForm(request.url ?? '/');
      const begin = (): void => void app(request, response);
      const enter = (): void => {
        if (this.admission === undefined) begin();
        else this.admission.admit(request, response, begin);
      };
      if (this.held === undefined) enter();
      else this.held.push(enter);
    };
    const messages = flatMessages(app);
    const answers = messages.ServerResponse.prototype as ServerResponse;
    discardUnreadBodies(answers);
    cutWhenStalled(answers);
    sendTogether(answers);
    // An answer is "not modified" where its handler says so: Express would say it of any that `If-None-Match: *` asks for.
    Object.defineProperty(messages.IncomingMessage.prototype, 'fresh', { value: false });
    const server: Server = createServer({
      ...messages,
      headersTimeout: 20 * SECOND,
      requestTimeout: 60 * SECOND,
      connectionsCheckingInterval: 5 * SECOND,
      // Above the idle time of common load balancers, so that it is they who close a connection.
      keepAliveTimeout: 65 * SECOND,
      requireHostHeader: false, // See requireHost.
    });
    server.on('connection', (socket) => this.connections.add(socket));
    server.on('request', serve);
    // RFC 9110 §10.1.1 lets a server ignore an expectation it does not know.
    server.on('checkExpectation', serve);
    server.on('connect', (request: IncomingMessage, socket: Duplex) =>
      this.connections.refuseHandedOver(socket, refusalOfConnect(request)),
    );
    server.on('clientError', (error: NodeJS.ErrnoException, socket: Duplex) =>
      this.connections.refuse(socket, error, refusalOfClientError(error)),
    );
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
   * Stops the server. It goes on accepting for a while, and closes each connection after its answer: whoever does not know yet
   * that it stops is served. Then it closes the port, and connections as they become idle, and waits for the last answer.
   *
   * @param graceMs how long connections are accepted, and stay open without a request
   * @param limitMs after which connections are cut, whatever they do
   * @returns how many answers were cut
   */
  async closeGracefully({ graceMs, limitMs }: { graceMs: number; limitMs: number }): Promise<number> {
    const server: Server = this.httpServer;
    if (!server.listening) return 0;
    const deadline = performance.now() + limitMs;
    const { connections } = this;
    connections.stop();
    await pause(Math.min(graceMs, limitMs));
    await this.untilNoneConnects(server, Math.min(QUIET.limit, limitMs));
    // Not as an HTTP server closes: that cuts answers that their clients have not taken yet.
    const closed = new Promise<true>((resolve) =>
      NetServer.prototype.close.call(server, () => resolve(true)),
    );
    this.beginHeld();
    while (performance.now() < deadline) {
      connections.closeIdle(Math.min(graceMs, limitMs));
      if ((await Promise.race([closed, pause(SWEEP)])) === true) return 0;
    }
    const cut = await connections.cut();
    await closed;
    return cut;
  }

  /**
   * Waits until no connection has come for a moment, and returns before another can. The system resets connections that it has
   * accepted and we have not when the port closes. Requests wait meanwhile: a client that waits for its answer connects no more.
   */
  private async untilNoneConnects(server: Server, limitMs: number): Promise<void> {
    const began = performance.now();
    let last = began;
    const note = (): void => void (last = performance.now());
    server.on('connection', note);
    this.held = [];
    do {
      await pause(QUIET.look);
      // What has come by now is accepted before this turn of the loop comes to its end.
      await turn();
    } while (performance.now() - last < QUIET.least && performance.now() - began < limitMs);
    server.off('connection', note);
  }

  private beginHeld(): void {
    const held = this.held ?? [];
    this.held = undefined;
    for (const begin of held) begin();
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
