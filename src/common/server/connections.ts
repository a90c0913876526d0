import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { ApiError } from '../errors/api-error';
import { endBody } from '../body/body-reader';
import { closeGently } from '../response/close-gently';
import { sendWaiting } from '../response/end-of-turn';
import { answerRaw } from '../response/raw-answer';

interface Connection {
  readonly socket: Socket;
  /** Of the newest request, until it is out and the body of the request is here; undefined while the connection is idle. */
  answer: ServerResponse | undefined;
  /** Answers of requests that came while another was under way, in order. */
  behind: ServerResponse[] | undefined;
  /** What comes cannot be understood any more; what came before is still answered. */
  isBroken: boolean;
  /** Counts only while the server stops. */
  idle: Idle | undefined;
}

/** Since when nothing has come on a connection: by `performance.now()`, and by the bytes that came before. */
interface Idle {
  readonly since: number;
  readonly bytesRead: number;
}

/**
 * The open connections of the server, and what each of them still owes.
 *
 * Nothing is kept for each answer by itself: a set that changes with every request is copied again and again, and its old copies
 * let the engine take all answers for needed for a long time, which costs a tenth of a small request.
 */
export class Connections {
  private readonly open = new Map<Duplex, Connection>();
  private isStopping = false;

  add(socket: Socket): void {
    const connection: Connection = {
      socket,
      answer: undefined,
      behind: undefined,
      isBroken: false,
      idle: this.isStopping ? idleNow(socket) : undefined,
    };
    this.open.set(socket, connection);
    // RFC 9112 §9.6: a connection that is closed while its client sends is reset, and the answer may be lost with it.
    socket.destroySoon = () => closeGently(socket);
    socket.once('close', () => {
      this.open.delete(socket);
      abandon(connection.behind);
    });
  }

  /**
   * Notes a request and its answer.
   *
   * @returns false for one that came when the connection was closing: it cannot be answered, so it must have no effect
   */
  begin(request: IncomingMessage, response: ServerResponse): boolean {
    const connection = this.open.get(request.socket);
    if (connection === undefined || !request.socket.writable) return false;
    const before = connection.answer;
    if (before !== undefined && !before.destroyed) {
      if (before.getHeader('Connection') === 'close') {
        // The connection closes behind that answer, or behind this one while it can still say so.
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

  /** Answers what is no HTTP, or took too long to arrive, behind what the connection still owes, and closes it. */
  refuse(socket: Duplex, error: NodeJS.ErrnoException, refusal: ApiError): void {
    sendWaiting(); // The answer before may be among them.
    const connection = this.open.get(socket);
    if (connection === undefined || error.code === 'ECONNRESET' || !socket.writable) {
      socket.destroy(error);
      return;
    }
    // The rest of what comes is no better.
    if (connection.isBroken) return;
    connection.isBroken = true;
    const { answer } = connection;
    if (answer === undefined) answerRaw(socket, refusal);
    else if (answer.req.complete) this.whenOut(socket, answer, () => answerRaw(socket, refusal));
    else {
      // The fault is in the body of the newest request, whose own answer says so if it needs the body.
      closeAfter(answer);
      this.whenOut(socket, answer, () => closeGently(socket));
      endBody(answer.req, refusal);
    }
  }

  /** The same for a request that Node hands over with its connection. */
  refuseHandedOver(socket: Duplex, refusal: ApiError): void {
    const connection = this.open.get(socket);
    if (connection?.answer === undefined) return answerRaw(socket, refusal);
    // Node listens no more, and would neither go on with an answer that waits for its reader nor end one.
    socket.on('drain', () => connection.answer?.emit('drain'));
    socket.on('error', () => undefined);
    socket.once('timeout', () => socket.destroy());
    this.whenOut(socket, connection.answer, () => answerRaw(socket, refusal));
  }

  /** From now on connections close after their answers. */
  stop(): void {
    this.isStopping = true;
    for (const connection of this.open.values()) {
      if (connection.answer !== undefined) closeAfter(connection.answer);
      connection.idle = idleNow(connection.socket);
    }
  }

  /** Half-closes connections on which nothing is under way, and nothing has come for some milliseconds. */
  closeIdle(milliseconds: number): void {
    const before = performance.now() - milliseconds;
    for (const { socket, answer, idle, isBroken } of this.open.values()) {
      if (isBroken || idle === undefined || idle.since > before || socket.writableLength > 0) continue;
      // The rest of a body whose answer is out is worth nothing; the beginning of a request is.
      const isIdle = answer === undefined ? socket.bytesRead === idle.bytesRead : answer.destroyed;
      if (isIdle) closeGently(socket);
    }
  }

  /**
   * Cuts all connections, whatever they do.
   *
   * @returns how many answers were not out, once the log of requests has heard of each
   */
  async cut(): Promise<number> {
    let answers = 0;
    const closed: Promise<unknown>[] = [];
    for (const { socket, answer } of this.open.values()) {
      if (answer !== undefined && !answer.destroyed) answers += 1;
      // The server counts a connection as closed before the answers on it are.
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

  // One function for all answers, with the answer as `this`. An idle connection keeps nothing of its last request: of hundreds,
  // that is what the collector would carry along.
  private readonly forget = ((connections: Connections) =>
    function (this: ServerResponse): void {
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

/** Node says of an answer that it is closed only when it has its connection. Those that wait for others never would be. */
function abandon(answers: readonly ServerResponse[] = []): void {
  for (const answer of answers) {
    if (answer.destroyed || answer.socket !== null) continue;
    answer.destroy();
    answer.emit('close');
  }
}
