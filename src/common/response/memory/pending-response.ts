import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Request, Response } from 'express';
import type { ServerResponse } from 'node:http';
import type { Lease } from '../../../runtime/fairness/byte-budget';
import { ClientGone } from '../../request/client-gone';
import { tenantKeyOf } from '../../request/tenant-key';

declare module 'express-serve-static-core' {
  interface Request {
    /** The response, if its handler asked for it; see {@link CurrentResponse}. */
    pendingResponse?: PendingResponse;
  }
}

/** The response to one request, from before it is made until it is sent, with the memory that it holds. */
export class PendingResponse {
  private readonly leaving = new AbortController();
  private isOut = false;
  private own: Lease | undefined;
  private shared: Lease | undefined;
  private since: number | undefined;

  /**
   * @param owner owner of the memory: a customer's ID, or an address
   * @param response releases everything when it closes
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

  /** Aborts, with ClientGone as reason, when the client disconnects before its response is sent. */
  get gone(): AbortSignal {
    return this.leaving.signal;
  }

  /** Whether any memory is counted for the response. */
  get holds(): boolean {
    return this.own !== undefined || this.shared !== undefined;
  }

  /**
   * When the response acquired its memory, or was completely made, by `performance.now()`; undefined if it holds none.
   */
  get heldSince(): number | undefined {
    return this.holds ? this.since : undefined;
  }

  /** Holds memory of its own instead of the previous memory. */
  hold(lease: Lease): void {
    this.release();
    if (this.isOut) return lease.release();
    this.own = lease;
    this.since = performance.now();
  }

  /** Holds memory together with other responses instead of the previous memory. */
  share(lease: Lease): void {
    lease.retain();
    this.release();
    if (this.isOut) return lease.release();
    this.shared = lease;
    this.since = performance.now();
  }

  /** Adjusts the reservation to the actual bytes, after the response is made. */
  settle(bytes: number): void {
    this.own?.resize(bytes);
    this.since = performance.now();
  }

  /** Releases the memory, for example when a stream's client has received a page. */
  release(): void {
    this.own?.release();
    this.shared?.release();
    this.own = this.shared = undefined;
  }
}

/**
 * The response in progress, for a handler that makes it of stored records: their memory is reserved before they are
 * read.
 */
export const CurrentResponse = createParamDecorator(
  (_: unknown, context: ExecutionContext): PendingResponse => {
    const request = context.switchToHttp().getRequest<Request>();
    const response = context.switchToHttp().getResponse<Response>();
    return (request.pendingResponse ??= new PendingResponse(tenantKeyOf(request), response));
  },
);
