import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Request, Response } from 'express';
import type { ServerResponse } from 'node:http';
import type { Lease } from '../../runtime/fairness/byte-budget';
import { ClientGone } from '../request/client-gone';
import { tenantKeyOf } from '../request/tenant-key';

declare module 'express-serve-static-core' {
  interface Request {
    /** The answer, where its handler asked for it; see {@link CurrentAnswer}. */
    pendingAnswer?: PendingAnswer;
  }
}

/** The answer to one request, from before it is made until it is out, with the memory that it holds. */
export class PendingAnswer {
  private readonly leaving = new AbortController();
  private isOut = false;
  private own: Lease | undefined;
  private shared: Lease | undefined;
  private since: number | undefined;

  /**
   * @param owner whose memory it takes: a customer's ID, or an address
   * @param response gives everything back when it closes
   */
  constructor(
    readonly owner: string,
    response: ServerResponse,
  ) {
    const end = (): void => {
      this.isOut = true;
      this.release();
      if (!response.writableFinished) this.leaving.abort(new ClientGone());
    };
    if (response.destroyed) end();
    else response.once('close', end);
  }

  /** Aborts, with ClientGone as reason, when the client leaves before its answer is out. */
  get gone(): AbortSignal {
    return this.leaving.signal;
  }

  /** Whether any memory is counted for it. */
  get holds(): boolean {
    return this.own !== undefined || this.shared !== undefined;
  }

  /** When it got what it holds, or finished making it, by `performance.now()`; undefined where it holds nothing. */
  get heldSince(): number | undefined {
    return this.holds ? this.since : undefined;
  }

  /** Holds memory of its own in place of what it had. */
  hold(lease: Lease): void {
    this.release();
    if (this.isOut) return lease.release();
    this.own = lease;
    this.since = performance.now();
  }

  /** Holds memory together with other answers, in place of what it had. */
  share(lease: Lease): void {
    lease.retain();
    this.release();
    if (this.isOut) return lease.release();
    this.shared = lease;
    this.since = performance.now();
  }

  /** What it reserved comes to so many bytes, now that it is made. */
  settle(bytes: number): void {
    this.own?.resize(bytes);
    this.since = performance.now();
  }

  /** Gives back what it holds, as a stream does when its client has taken a page. */
  release(): void {
    this.own?.release();
    this.shared?.release();
    this.own = this.shared = undefined;
  }
}

/** The answer under way, for a handler that makes it of stored records: their memory is reserved before they are read. */
export const CurrentAnswer = createParamDecorator((_: unknown, context: ExecutionContext): PendingAnswer => {
  const request = context.switchToHttp().getRequest<Request>();
  const response = context.switchToHttp().getResponse<Response>();
  return (request.pendingAnswer ??= new PendingAnswer(tenantKeyOf(request), response));
});
