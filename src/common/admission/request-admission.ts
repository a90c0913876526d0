import { Injectable } from '@nestjs/common';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { CallerCache } from '../../auth/callers/caller-cache';
import { presentedHash } from '../../auth/guard/presented-key';
import { EventLoopScheduler } from '../../runtime/fairness/event-loop-scheduler';
import type { Overloaded } from '../../runtime/fairness/overloaded';
import { KeyedConcurrencyLimit } from '../../runtime/fairness/keyed-concurrency-limit';
import { PROBE_PATHS } from '../request/probe-paths';
import { whenClosed } from '../request/when-closed';

declare module 'express-serve-static-core' {
  interface Request {
    /** The tenant whose turn the request already had at admission; absent if it did not ask for a turn. */
    turnOf?: string;
    /** Why the request got no turn; absent otherwise. */
    refusedTurn?: Overloaded;
  }
}

type AdmittedRequest = IncomingMessage & { turnOf?: string; refusedTurn?: Overloaded };

// oxlint-disable-next-line eslint-js/no-restricted-syntax -- made of constants only
const neverWaits = new RegExp(`^/(?:${PROBE_PATHS.join('|')}|api/v1/health)(?:\\?|$)`);

/**
 * Maximum number of concurrent reads of one customer. Further reads would only wait together for the customer's database
 * connections. Then they would be answered in one turn of the event loop, and the requests of other customers would wait
 * for the end of that turn.
 */
export const MAX_CONCURRENT_READS = 32;

/**
 * Requests wait here while the event loop is behind, or while many reads of their customer are in progress, before
 * their context, headers and promises are created. The garbage collector copies waiting objects again and again, so
 * waiting requests should be small.
 *
 * Only requests of known callers wait here, each in the queue of its customer. Other requests wait in FairTurnGuard.
 */
@Injectable()
export class RequestAdmission {
  private readonly reads = new KeyedConcurrencyLimit(MAX_CONCURRENT_READS);

  constructor(
    private readonly eventLoop: EventLoopScheduler,
    private readonly callers: CallerCache,
  ) {}

  /**
   * Calls `serve` once, now or when it is the customer's turn. If too many requests wait, it calls `serve` too, and the
   * guard refuses the request.
   */
  admit(request: IncomingMessage, response: ServerResponse, serve: () => void): void {
    const isReading = request.method === 'GET' || request.method === 'HEAD';
    const tenant = isReading || !this.eventLoop.isFree ? this.customerOf(request) : undefined;
    if (tenant === undefined) return serve();
    const admitted: AdmittedRequest = request;
    const begin = (): void => {
      admitted.turnOf = tenant;
      serve();
    };
    const refuse = (reason: Overloaded): void => {
      admitted.refusedTurn = reason;
      serve();
    };
    const inTurn = (): void => this.eventLoop.schedule(tenant, { begin, refuse });
    if (!isReading) return inTurn();
    const beginReading = (): void => {
      whenClosed(response, () => this.reads.release(tenant));
      inTurn();
    };
    this.reads.acquire(tenant, { begin: beginReading, refuse });
  }

  /** Undefined for requests that never wait, and if the key needs a lookup. */
  private customerOf(request: IncomingMessage): string | undefined {
    if (neverWaits.test(request.url ?? '/')) return undefined;
    const hash = presentedHash(request);
    return hash === undefined ? undefined : this.callers.find(hash)?.customer.id;
  }
}
