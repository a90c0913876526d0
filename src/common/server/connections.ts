import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { ApiError } from '../errors/api-error';
import { endBody } from '../body/body-reader';
import { closeGently } from '../response/socket/close-gently';
import { sendWaiting } from '../response/socket/end-of-turn';
import { answerRaw } from '../response/socket/raw-response';

interface Connection {
  readonly socket: Socket;
  /**
   * The response to the newest request, until it is sent and the body of the request has arrived; undefined while the
   * connection is idle.
   */
  answer: ServerResponse | undefined;
  /** Responses to pipelined requests that arrived while another was in progress, in order. */
  behind: ServerResponse[] | undefined;
  /** Further bytes cannot be parsed. Earlier requests are still answered. */
  isBroken: boolean;
  /** Only used while the server stops. */
  idle: Idle | undefined;
}

/**
 * How long a connection has received nothing: since a time by `performance.now()`, and since a number of received
 * bytes.
 */
interface Idle {
  readonly since: number;
  readonly bytesRead: number;
}

/**
 * The open connections of the server, and the pending responses of each.
 *
 * There is no set of single responses: a set that changes with every request is copied again and again, and its old
 * copies keep all responses alive for a long time, which costs a tenth of a small request.
 */
export class Connections {
  private readonly open = new Map<Duplex, Connection>();
  private isStopping = false;
  /** When the last response was sent, by `performance.now()`. Only kept while the server stops. */
  answeredAt = -Infinity;

  add(socket: Socket): void {
    const connection: Connection = {
      socket,
      answer: undefined,
      behind: undefined,
      isBroken: false,
      idle: this.isStopping ? idleNow(socket) : undefined,
    };
    this.open.set(socket, connection);
    // RFC 9112 §9.6: a connection that is closed while its client sends is reset, and the response may be lost with it.
    socket.destroySoon = () => closeGently(socket);
    socket.once('close', () => {
      this.open.delete(socket);
      abandon(connection.behind);
    });
  }

  /**
   * Records a request and its response.
   *
   * @returns false for a request that arrived while the connection was closing: it cannot be answered, so it must have
   *   no effect
   */
  begin(request: IncomingMessage, response: ServerResponse): boolean {
    const connection = this.open.get(request.socket);
    if (connection === undefined || !request.socket.writable) return false;
    const before = connection.answer;
    if (before !== undefined && !before.destroyed) {
      if (before.getHeader('Connection') === 'close') {
        // The connection closes after that response, or after this one if its head can still announce it.
        if (before.headersSent) return false;
        before.removeHeader('Connection');
      }
      (connection.behind ??= []).push(response);
    }
    connection.answer = response;
    response.on('close', this.forget);
    if (this.isStopping) closeAfter(response);
    return true;
  }

  /**
   * Answers input that is not HTTP, or took too long to arrive, after the connection's pending responses, and closes
   * the connection.
   */
  refuse(socket: Duplex, error: NodeJS.ErrnoException, refusal: ApiError): void {
    sendWaiting(); // The previous response may be among them.
    const connection = this.open.get(socket);
    if (connection === undefined || error.code === 'ECONNRESET' || !socket.writable) {
      socket.destroy(error);
      return;
    }
    // Later input on the connection is invalid too.
    if (connection.isBroken) return;
    connection.isBroken = true;
    const { answer } = connection;
    if (answer === undefined) answerRaw(socket, refusal);
    else if (answer.req.complete) this.whenOut(socket, answer, () => answerRaw(socket, refusal));
    else {
      // The error is in the body of the newest request. If the request needs the body, its own response reports the
      // error.
      closeAfter(answer);
      this.whenOut(socket, answer, () => closeGently(socket));
      endBody(answer.req, refusal);
    }
  }

  /** Like {@link refuse}, for a request that Node hands over with its connection. */
  refuseHandedOver(socket: Duplex, refusal: ApiError): void {
    const connection = this.open.get(socket);
    if (connection?.answer === undefined) return answerRaw(socket, refusal);
    // Node no longer listens. It would neither continue a response that waits for its reader nor end it.
    socket.on('drain', () => connection.answer?.emit('drain'));
    socket.on('error', () => undefined);
    socket.once('timeout', () => socket.destroy());
    this.whenOut(socket, connection.answer, () => answerRaw(socket, refusal));
  }

  /** From now on connections close after their responses. */
  stop(): void {
    this.isStopping = true;
    for (const connection of this.open.values()) {
      if (connection.answer !== undefined) closeAfter(connection.answer);
      connection.idle = idleNow(connection.socket);
    }
  }

  /** Half-closes connections without pending requests that have received nothing for the given milliseconds. */
  closeIdle(milliseconds: number): void {
    const before = performance.now() - milliseconds;
    for (const { socket, answer, idle, isBroken } of this.open.values()) {
      if (isBroken || idle === undefined || idle.since > before || socket.writableLength > 0) continue;
      // The rest of a body whose response is sent is worthless. The beginning of a request is not.
      const isIdle = answer === undefined ? socket.bytesRead === idle.bytesRead : answer.destroyed;
      if (isIdle) closeGently(socket);
    }
  }

  /**
   * Cuts all connections, whatever their state.
   *
   * @returns number of responses that were not sent, after the request log has recorded each
   */
  async cut(): Promise<number> {
    let answers = 0;
    const closed: Promise<unknown>[] = [];
    for (const { socket, answer } of this.open.values()) {
      if (answer !== undefined && !answer.destroyed) answers += 1;
      // The server counts a connection as closed before the responses on it are.
      closed.push(new Promise((resolve) => socket.once('close', resolve)));
      socket.destroy();
    }
    await Promise.all(closed);
    return answers;
  }

  private whenOut(socket: Duplex, answer: ServerResponse, next: () => void): void {
    const go = (): void => {
      if (socket.writable) next();
    };
    if (answer.destroyed) go();
    else answer.once('close', go);
  }

  // One function for all responses, with the response as `this`. An idle connection keeps nothing of its last request,
  // because the garbage collector would have to copy it for hundreds of connections.
  private readonly forget = ((connections: Connections) =>
    function (this: ServerResponse): void {
      if (connections.isStopping) connections.answeredAt = performance.now();
      const connection = connections.open.get(this.req.socket);
      if (connection === undefined) return;
      if (connection.behind?.[0] === this) connection.behind.shift();
      if (connection.answer !== this || !this.req.complete) return;
      connection.answer = undefined;
      connection.behind = undefined;
      if (connections.isStopping) connection.idle = idleNow(connection.socket);
    })(this);
}

function idleNow({ bytesRead }: Socket): Idle {
  return { since: performance.now(), bytesRead };
}

function closeAfter(response: ServerResponse): void {
  if (!response.headersSent) response.setHeader('Connection', 'close');
}

/**
 * Node reports that a response is closed only if it has its connection. Responses queued behind others would never be
 * reported.
 */
function abandon(answers: readonly ServerResponse[] = []): void {
  for (const answer of answers) {
    if (answer.destroyed || answer.socket !== null) continue;
    answer.destroy();
    answer.emit('close');
  }
}
