import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { stringifyJson, type JsonValue } from '@app/mapper';
import type { SimulatedClock } from './clock';
import { Refusal, type Answerer, type Reply, type SimulatedRequest } from './exchange';
import type { Fault, FaultPlan } from './faults';
import type { LoggedRequest, RequestLog } from './request-log';

const LARGEST_BODY = 64 * 1024 * 1024;

/** The state that all servers of a simulator share. */
export interface ServerShared {
  readonly clock: SimulatedClock;
  readonly faults: FaultPlan;
  readonly log: RequestLog;
  /** Defects of the simulator. A test during which one occurs proves nothing about the client. */
  readonly defects: unknown[];
  /** Numbers the requests of all servers. */
  nextNumber(): number;
  /** Runs an edit of the platform, for faults of kind `edit`. */
  edit(name: string, input: JsonValue): JsonValue;
}

/** The result of a request: an answer, or a connection that was closed. */
type Outcome =
  | { readonly kind: 'reply'; readonly reply: Reply; readonly cut: boolean }
  | { readonly kind: 'reset' };

/** An HTTP server on 127.0.0.1. It passes complete requests to a platform and applies planned faults to them. */
export class SimulatedServer {
  private readonly server: Server;
  private readonly ended = new AbortController();
  private running = 0;

  constructor(
    private readonly answer: Answerer,
    private readonly shared: ServerShared,
  ) {
    this.server = createServer((incoming, response) => void this.serve(incoming, response));
    this.server.keepAliveTimeout = 30_000;
  }

  /** Starts to listen; port 0 selects a free one. Returns the address, without a trailing slash. */
  async listen(port = 0): Promise<string> {
    await new Promise<void>((resolve, reject) => {
      this.server.once('error', reject);
      this.server.listen(port, '127.0.0.1', () => {
        this.server.off('error', reject);
        resolve();
      });
    });
    // A TCP server that listens has an address of this kind.
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Ends all connections and stops listening. */
  async close(): Promise<void> {
    this.ended.abort();
    const closed = new Promise<void>((resolve) => this.server.close(() => resolve()));
    this.server.closeAllConnections();
    await closed;
  }

  private async serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    this.running += 1;
    try {
      const body = await bodyOf(incoming);
      if (body === undefined) {
        send(response, { status: 413, text: 'Payload Too Large', headers: { connection: 'close' } }, false);
        return;
      }
      const request = this.requestOf(incoming, body);
      const entry = this.shared.log.add(request, this.shared.clock.date());
      const outcome = await this.outcomeOf(request, entry, response);
      if (outcome.kind === 'reset') {
        incoming.socket.resetAndDestroy();
      } else {
        entry.status = outcome.reply.status;
        send(response, outcome.reply, outcome.cut);
      }
    } catch (error) {
      // A client that disconnects while it sends is no defect of the simulator.
      if (!incoming.destroyed) this.shared.defects.push(error);
      response.destroy();
    } finally {
      this.running -= 1;
    }
  }

  private requestOf(incoming: IncomingMessage, body: string): SimulatedRequest {
    const url = new URL(incoming.url ?? '/', 'http://simulator');
    const [path = '/', ...rest] = (incoming.url ?? '/').split('?');
    const headers = Object.entries(incoming.headers).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.join(', ') : (value ?? ''),
    ]);
    return {
      number: this.shared.nextNumber(),
      method: incoming.method ?? 'GET',
      path,
      query: url.searchParams,
      rawQuery: rest.join('?'),
      headers: Object.fromEntries(headers) as Record<string, string>,
      body,
      running: this.running,
    };
  }

  private async outcomeOf(
    request: SimulatedRequest,
    entry: LoggedRequest,
    response: ServerResponse,
  ): Promise<Outcome> {
    const faults = this.shared.faults.meet(request);
    entry.faults.push(...faults.map(({ kind }) => kind));
    for (const fault of faults) {
      if (fault.kind === 'delay' && fault.after !== true) await this.shared.clock.wait(fault.ms);
      if (fault.kind === 'reset_before') return { kind: 'reset' };
      if (fault.kind === 'hang') {
        await this.left(response);
        return { kind: 'reset' };
      }
      if ((fault.kind === 'status' || fault.kind === 'html') && fault.effect !== true) {
        return { kind: 'reply', reply: replyOfFault(fault), cut: false };
      }
    }
    this.runEdits(faults, request, false);
    entry.handled = true;
    const reply = await this.handled(request);
    this.runEdits(faults, request, true);
    return this.answered(reply, faults);
  }

  private async handled(request: SimulatedRequest): Promise<Reply> {
    try {
      return await this.answer(request);
    } catch (error) {
      if (error instanceof Refusal) return error.reply;
      this.shared.defects.push(error);
      return { status: 500, text: 'The simulator has a defect; see its list of defects' };
    }
  }

  private async answered(reply: Reply, faults: readonly Fault[]): Promise<Outcome> {
    let shown = reply;
    let cut = false;
    for (const fault of faults) {
      if (fault.kind === 'delay' && fault.after === true) await this.shared.clock.wait(fault.ms);
      if (fault.kind === 'reset_after') return { kind: 'reset' };
      if (fault.kind === 'status' || fault.kind === 'html') shown = replyOfFault(fault);
      if (fault.kind === 'headers') shown = { ...shown, headers: { ...shown.headers, ...fault.headers } };
      if (fault.kind === 'truncate') shown = truncated(shown);
      if (fault.kind === 'cut') cut = true;
    }
    return { kind: 'reply', reply: shown, cut };
  }

  private runEdits(faults: readonly Fault[], request: SimulatedRequest, after: boolean): void {
    for (const fault of faults) {
      if (fault.kind === 'run' && (fault.after ?? false) === after) fault.run(request);
      if (fault.kind === 'edit' && (fault.after ?? false) === after) {
        // Input of the control port is JSON, and input of a test must be.
        this.shared.edit(fault.edit, (fault.with ?? {}) as JsonValue);
      }
    }
  }

  private left(response: ServerResponse): Promise<void> {
    return new Promise((resolve) => {
      response.once('close', resolve);
      this.ended.signal.addEventListener('abort', () => resolve(), { once: true });
    });
  }
}

type AnsweringFault = Extract<Fault, { kind: 'status' | 'html' }>;

function replyOfFault(fault: AnsweringFault): Reply {
  const status = fault.status ?? (fault.kind === 'html' ? 502 : 500);
  if (fault.kind === 'html') {
    const text =
      fault.text ?? `<html><head><title>${status}</title></head><body><h1>Bad gateway</h1></body></html>\n`;
    return { status, text, headers: { 'content-type': 'text/html; charset=utf-8', ...fault.headers } };
  }
  return {
    status,
    text: fault.text ?? '',
    ...(fault.headers === undefined ? {} : { headers: fault.headers }),
  };
}

function truncated(reply: Reply): Reply {
  const { text, type } = contentOf(reply);
  return {
    status: reply.status,
    text: text.slice(0, Math.floor(text.length / 2)),
    headers: { ...(type === undefined ? {} : { 'content-type': type }), ...reply.headers },
  };
}

function contentOf({ json, text }: Reply): { readonly text: string; readonly type: string | undefined } {
  if (json !== undefined) return { text: stringifyJson(json), type: 'application/json; charset=utf-8' };
  return text === undefined || text === ''
    ? { text: '', type: undefined }
    : { text, type: 'text/plain; charset=utf-8' };
}

function send(response: ServerResponse, reply: Reply, cut: boolean): void {
  const { text, type } = contentOf(reply);
  const bytes = Buffer.from(text, 'utf8');
  if (type !== undefined) response.setHeader('content-type', type);
  for (const [name, value] of Object.entries(reply.headers ?? {})) response.setHeader(name, value);
  response.statusCode = reply.status;
  // Responses with these statuses have no body and no length.
  if (reply.status !== 204 && reply.status !== 304) response.setHeader('content-length', bytes.length);
  if (cut) {
    response.write(bytes.subarray(0, Math.floor(bytes.length / 2)), () => response.destroy());
  } else {
    response.end(bytes);
  }
}

async function bodyOf(incoming: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of incoming) {
    // Without an encoding, a request's chunks are buffers.
    const bytes = chunk as Buffer;
    length += bytes.length;
    if (length > LARGEST_BODY) return undefined;
    chunks.push(bytes);
  }
  return Buffer.concat(chunks).toString('utf8');
}
