import type { Dispatcher } from 'undici';
import { notSent, unknownOutcome } from './failure-reason';
import type { NotSent, Unknown } from '../platform-result';

/** An answer as it came over the wire. */
export interface RawResponse {
  readonly kind: 'raw';
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** The most bytes of a body without a 2xx status, also after decompression. A larger one is left unread. */
export const MOST_REFUSAL_BYTES = 256 * 1024;

export type ExchangeEnd = RawResponse | NotSent | Unknown;

/**
 * One request and its answer, as undici reports them. undici starts a request right before it writes its first byte: one
 * that ends without having been started has certainly not been sent.
 */
export class Exchange implements Dispatcher.DispatchHandler {
  /** The end of the exchange. Rejects only with the reason of an abort. */
  readonly end: Promise<ExchangeEnd>;
  private settle: (end: ExchangeEnd) => void;
  private fail: (reason: Error) => void;
  private settled = false;
  private controller: Dispatcher.DispatchController | undefined;
  private status: number | undefined;
  private headers: Readonly<Record<string, string>> = {};
  private readonly chunks: Buffer[] = [];
  private bytes = 0;

  /** @param started called when the request is about to be written */
  constructor(
    private readonly mostBytes: number,
    private readonly started: () => void,
  ) {
    this.end = new Promise((resolve, reject) => {
      this.settle = resolve;
      this.fail = reject;
    });
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    // If the call was given up while it waited, it must not be sent. If undici starts it a second time, it would be
    // repeated, which only this service may decide.
    if (this.settled || this.controller !== undefined) {
      controller.abort(new Error('Given up'));
      return;
    }
    this.controller = controller;
    this.started();
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    if (status < 200) return;
    this.status = status;
    this.headers = Object.fromEntries(
      Object.entries(headers).flatMap(([name, value]) =>
        value === undefined
          ? []
          : [[name.toLowerCase(), typeof value === 'string' ? value : value.join(', ')]],
      ),
    );
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.bytes += chunk.length;
    if (this.isRefusal && this.bytes > MOST_REFUSAL_BYTES) this.leaveBody();
    else if (this.bytes > this.mostBytes) this.giveUp('too_large');
    else this.chunks.push(chunk);
  }

  onResponseEnd(): void {
    const { status, headers } = this;
    if (status === undefined) this.giveUp('nonsense');
    else this.finish({ kind: 'raw', status, headers, body: Buffer.concat(this.chunks) });
  }

  onResponseError(_controller: Dispatcher.DispatchController | undefined, error: unknown): void {
    this.finish(this.controller === undefined ? notSent(error) : unknownOutcome(error, this.status));
  }

  /** Ends it for our own reasons. What has not been started yet is never sent. */
  giveUp(reason: Unknown['reason']): void {
    const { status } = this;
    this.finish(
      this.controller === undefined
        ? { kind: 'not_sent', reason: 'connect_timeout' }
        : { kind: 'unknown', reason, ...(status !== undefined && { status }) },
    );
    this.controller?.abort(new Error('Given up'));
  }

  /** Ends it because the caller wants no more of it. */
  abort(reason: Error): void {
    if (this.settled) return;
    this.settled = true;
    this.fail(reason);
    this.controller?.abort(new Error('Given up'));
  }

  private get isRefusal(): boolean {
    return this.status !== undefined && this.status >= 300;
  }

  // The head of a refused response already has the result, so the rest is not read.
  private leaveBody(): void {
    const { status, headers } = this;
    if (status !== undefined) this.finish({ kind: 'raw', status, headers, body: Buffer.alloc(0) });
    this.controller?.abort(new Error('Given up'));
  }

  private finish(end: ExchangeEnd): void {
    if (this.settled) return;
    this.settled = true;
    this.settle(end);
  }
}
