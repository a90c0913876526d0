import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { ResponseReader, type HttpResponse } from './response-reader';

/** A request as it goes over the wire. */
export interface Call {
  readonly wire: Buffer;
  /**
   * Checks an answer whose body was kept.
   *
   * @throws if it is wrong
   */
  readonly check?: (answer: HttpResponse) => void;
}

/** The settings of a load. */
export interface Load {
  readonly url: string;
  readonly connections: number;
  /** Duration in seconds. Requests in progress at the end are awaited and count. */
  readonly seconds?: number;
  /** The number of requests after which the load ends, if it is limited by that. */
  readonly requests?: number;
  /** The next request; its number counts from 0. */
  readonly next: (index: number) => Call;
  /** One answer in this number is checked completely; of all others only the status. */
  readonly checkEvery?: number;
  /** Milliseconds between an answer and the next request of its connection; none by default. */
  readonly pauseMs?: number;
  /**
   * Accepts any answer, also a refusal, and reconnects if the server closes the connection, which counts as status 0.
   */
  readonly tolerant?: boolean;
}

/** The results of a load. */
export interface Loaded {
  /** Answers per second. */
  readonly rate: number;
  readonly answers: number;
  /** Milliseconds from a request to the end of its answer. */
  readonly latencies: readonly number[];
  /** Statuses in the order of `latencies`. */
  readonly statuses: readonly number[];
  /** Seconds from the beginning to the end of each answer, in the same order. */
  readonly ends: readonly number[];
  /** Seconds from the first request to the last answer. */
  readonly seconds: number;
  /** CPU seconds of the generator per second of its run: 1 is one core. */
  readonly generatorShare: number;
}

const CHECK_EVERY = 50;
/** Milliseconds between the loss of a connection and the next attempt to connect. */
const PAUSE_MS = 20;

/**
 * Keeps a number of connections busy: each sends its next request when it has the answer to the one before (a closed
 * loop, so no more requests are under way than there are connections).
 *
 * @throws when a connection breaks, an answer has another status than it may, or a check fails
 */
export async function load(options: Load): Promise<Loaded> {
  const {
    url,
    connections,
    seconds = Infinity,
    requests = Infinity,
    next,
    checkEvery = CHECK_EVERY,
    tolerant = false,
    pauseMs = 0,
  } = options;
  const latencies: number[] = [];
  const statuses: number[] = [];
  let sent = 0;
  const cpu = process.cpuUsage();
  const begun = performance.now();
  const until = begun + seconds * 1000;
  const ends: number[] = [];
  const answered = (status: number, milliseconds: number) => {
    statuses.push(status);
    latencies.push(milliseconds);
    ends.push((performance.now() - begun) / 1000);
  };
  const one = () =>
    converse(
      url,
      () => {
        if (performance.now() >= until || sent >= requests) return undefined;
        const index = sent++;
        return { call: next(index), keep: index % checkEvery === 0 };
      },
      (answer, call, milliseconds) => {
        answered(answer.status, milliseconds);
        if (answer.status !== 200 && !tolerant) {
          throw new Error(`The answer has status ${answer.status}: ${answer.body?.toString() ?? ''}`);
        }
        if (answer.body !== undefined && answer.status === 200) call.check?.(answer);
      },
      pauseMs,
    );
  const persistent = async (): Promise<void> => {
    while (performance.now() < until && sent < requests) {
      try {
        return await one();
      } catch (error) {
        if (!tolerant || !(error instanceof ConnectionLost)) throw error;
        answered(0, 0);
        await sleep(PAUSE_MS);
      }
    }
  };
  await Promise.all(Array.from({ length: connections }, persistent));
  const elapsed = (performance.now() - begun) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  return {
    rate: latencies.length / elapsed,
    answers: latencies.length,
    latencies,
    statuses,
    ends,
    seconds: elapsed,
    generatorShare: (user + system) / 1e6 / elapsed,
  };
}

/** The server closed the connection or did not accept it. */
class ConnectionLost extends Error {}

/** One connection: asks for the next request after each answer, until there is none. */
function converse(
  url: string,
  next: () => { readonly call: Call; readonly keep: boolean } | undefined,
  answered: (answer: HttpResponse, call: Call, milliseconds: number) => void,
  pauseMs = 0,
): Promise<void> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket: Socket = connect({ host: hostname, port: Number(port), noDelay: true });
    let current: { readonly call: Call; readonly keep: boolean } | undefined;
    let since = 0;
    const fail = (error: unknown) => {
      socket.destroy();
      reject(error instanceof Error ? error : new Error(String(error)));
    };
    const send = () => {
      current = next();
      if (current === undefined) {
        socket.destroy();
        return resolve();
      }
      since = performance.now();
      socket.write(current.call.wire);
    };
    const reader = new ResponseReader(
      () => current?.keep ?? false,
      (answer) => {
        if (current === undefined) throw new Error('An answer came without a request');
        answered(answer, current.call, performance.now() - since);
        if (pauseMs > 0) setTimeout(send, pauseMs);
        else send();
      },
    );
    socket.on('connect', send);
    socket.on('data', (chunk) => {
      try {
        reader.push(chunk);
      } catch (error) {
        fail(error);
      }
    });
    socket.on('error', (cause) => fail(new ConnectionLost(`The connection to ${url} broke`, { cause })));
    socket.on('close', () => fail(new ConnectionLost(`The server at ${url} closed the connection`)));
  });
}

/** One request and its whole answer, over a new connection. */
export async function ask(url: string, wire: Buffer): Promise<HttpResponse> {
  let asked = false;
  let result: HttpResponse | undefined;
  await converse(
    url,
    () => {
      if (asked) return undefined;
      asked = true;
      return { call: { wire }, keep: true };
    },
    (answer) => (result = answer),
  );
  if (result === undefined) throw new Error('There was no answer');
  return result;
}

/** A request in the form in which it is sent. */
export function wireOf(
  method: 'GET' | 'POST',
  path: string,
  { key, body }: { readonly key?: string; readonly body?: string } = {},
): Buffer {
  const head = [`${method} ${path} HTTP/1.1`, 'Host: 127.0.0.1'];
  if (key !== undefined) head.push(`Authorization: Bearer ${key}`);
  if (body !== undefined) {
    head.push('Content-Type: application/json', `Content-Length: ${Buffer.byteLength(body)}`);
  }
  return Buffer.from(`${head.join('\r\n')}\r\n\r\n${body ?? ''}`);
}
