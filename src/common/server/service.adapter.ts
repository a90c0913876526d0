import { ExpressAdapter } from '@nestjs/platform-express';
import type { RequestHandler } from 'express';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { Server as NetServer } from 'node:net';
import type { Duplex } from 'node:stream';
import { setImmediate as turn, setTimeout as pause } from 'node:timers/promises';
import { endsWithin } from '../../runtime/clock/ends-within';
import { ApiError, invalidInput } from '../errors/api-error';
import { Connections } from './connections';
import type { RequestAdmission } from '../admission/request-admission';
import { beginTogether } from './begin-together';
import { sendTogether } from '../response/socket/end-of-turn';
import { messageClasses, type ExpressApplication } from './message-classes';
import { declaresJson } from '../body/json-only.middleware';
import { cutWhenStalled } from './stalled-response';
import { discardUnreadBodies } from './unread-body';

const SECOND = 1000;
/**
 * Maximum number of connections that the system queues until the process accepts them, if the system allows as many. It
 * drops or resets further ones. Node's default is 511.
 */
const BACKLOG = 4_096;
/** Milliseconds between two checks for idle connections, while the server stops. */
const SWEEP = 50;
/**
 * The wait of a stopping service before it closes its port, in milliseconds. `least`: time without a new connection or
 * a response after which the port is closed; `look`: time between two checks; `limit`: the longest wait; `most`: the
 * longest wait including the time in which a busy process accepts pending connections.
 */
const QUIET = { least: 30, look: 5, limit: 500, most: 2_000 } as const;

/**
 * Express under Nest, with a server that gives every refusal this service's form, including those that Node would make
 * by itself.
 */
export class ServiceAdapter extends ExpressAdapter {
  private readonly connections = new Connections();
  /** Requests that wait until the port is closed; undefined while none waits. */
  private held: (() => void)[] | undefined;

  /** Admits requests. */
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
      if (this.held === undefined) beginTogether(enter);
      else this.held.push(enter);
    };
    const messages = messageClasses(app);
    const answers = messages.ServerResponse.prototype as ServerResponse;
    discardUnreadBodies(answers);
    cutWhenStalled(answers);
    sendTogether(answers);
    // Handlers decide whether a response is "not modified". Express would also decide so for every `If-None-Match: *`.
    Object.defineProperty(messages.IncomingMessage.prototype, 'fresh', { value: false });
    const server: Server = createServer({
      ...messages,
      headersTimeout: 20 * SECOND,
      requestTimeout: 60 * SECOND,
      connectionsCheckingInterval: 5 * SECOND,
      // Longer than the idle time of common load balancers, so that the load balancer closes a connection first.
      keepAliveTimeout: 65 * SECOND,
      requireHostHeader: false, // See requireHost.
    });
    server.on('connection', (socket) => this.connections.add(socket));
    server.on('request', serve);
    // RFC 9110 §10.1.1 lets a server ignore an unknown expectation.
    server.on('checkExpectation', serve);
    server.on('connect', (request: IncomingMessage, socket: Duplex) =>
      this.connections.refuseHandedOver(socket, refusalOfConnect(request)),
    );
    server.on('clientError', (error: NodeJS.ErrnoException, socket: Duplex) =>
      this.connections.refuse(socket, error, refusalOfClientError(error)),
    );
    this.httpServer = server;
  }

  /** Nest's signature: the host may be omitted, and the callback is the last argument. */
  override listen(port: string | number, ...rest: readonly (string | (() => void) | undefined)[]): Server {
    const host = rest.find((each) => typeof each === 'string');
    const listening = rest.find((each) => typeof each === 'function');
    const server: Server = this.httpServer;
    return server.listen({ port: Number(port), host, backlog: BACKLOG }, listening);
  }

  /**
   * One handler for all paths. Nest's own handler leaves paths outside the prefix to Express, which responds in HTML.
   */
  override setNotFoundHandler(handler: RequestHandler): void {
    this.use(handler);
  }

  /**
   * Stops the server. For a while it still accepts connections, and closes each after its response, so that clients
   * that do not know of the stop are served. Then it closes the port, and connections as they become idle, and waits
   * for the last response.
   *
   * @param graceMs how long connections are accepted, and stay open without a request
   * @param limitMs after which connections are cut, whatever their state
   * @returns number of cut responses
   */
  async closeGracefully({ graceMs, limitMs }: { graceMs: number; limitMs: number }): Promise<number> {
    const server: Server = this.httpServer;
    if (!server.listening) return 0;
    const deadline = performance.now() + limitMs;
    const { connections } = this;
    connections.stop();
    await pause(Math.min(graceMs, limitMs));
    await this.untilNoneConnects(server, deadline);
    // Not like an HTTP server's close, which cuts responses that their clients have not received yet.
    const closed = new Promise<void>((resolve) => {
      NetServer.prototype.close.call(server, () => resolve());
    });
    this.beginHeld();
    while (performance.now() < deadline) {
      connections.closeIdle(Math.min(graceMs, limitMs));
      if (await endsWithin(closed, SWEEP)) return 0;
    }
    const cut = await connections.cut();
    await closed;
    return cut;
  }

  /**
   * Waits until no connection has arrived for a moment, and returns before another can. When the port closes, the
   * system resets connections that it has accepted and the process has not. Requests wait meanwhile, because a client
   * that waits for its response opens no further connection; one that has just got its response may.
   *
   * @param deadline by `performance.now()`, of the whole stop
   */
  private async untilNoneConnects(server: Server, deadline: number): Promise<void> {
    const began = performance.now();
    const end = Math.min(began + QUIET.most, deadline);
    let connected = began;
    const note = (): void => void (connected = performance.now());
    const last = (): number => Math.max(connected, this.connections.answeredAt);
    server.on('connection', note);
    this.held = [];
    do {
      await pause(QUIET.look);
      // A turn of the loop accepts one connection at most. On a busy machine more of them wait.
      for (let before = NaN; before !== last() && performance.now() < end;) {
        before = last();
        await turn();
      }
    } while (
      performance.now() - last() < QUIET.least &&
      performance.now() < Math.min(began + QUIET.limit, end)
    );
    server.off('connection', note);
  }

  private beginHeld(): void {
    const held = this.held ?? [];
    this.held = undefined;
    for (const begin of held) begin();
  }
}

/**
 * The path and query of a request's target, which may also be an absolute URL (RFC 9112 §3.2.2); a URL without a path
 * means the root. Express finds no path in some of these, and responds by itself.
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
