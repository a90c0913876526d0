import { Injectable } from '@nestjs/common';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { CallerCache } from '../../auth/caller-cache';
import { presentedHash } from '../../auth/presented-key';
import { EventLoopScheduler } from '../../runtime/fairness/event-loop-scheduler';
import type { Overloaded } from '../../runtime/fairness/overloaded';
import { KeyedConcurrencyLimit } from '../../runtime/fairness/keyed-concurrency-limit';
import { PROBE_PATHS } from '../request/probe-paths';
import { whenClosed } from '../request/when-closed';

declare module 'express-serve-static-core' {
  interface Request {
    /** Whose turn it has had already, before anything was made for it; absent where nobody asked for one then. */
    turnOf?: string;
    /** Why it got none; absent otherwise. */
    refusedTurn?: Overloaded;
  }
}

type AdmittedRequest = IncomingMessage & { turnOf?: string; refusedTurn?: Overloaded };

// eslint-disable-next-line no-restricted-syntax -- made of constants only
const neverWaits = new RegExp(`^/(?:${PROBE_PATHS.join('|')}|api/v1/health)(?:\\?|$)`);

/**
 * Readings of one customer that are under way at the same time. More of them would only wait together for its connections to
 * the database.
 */
export const MAX_CONCURRENT_READS = 64;

/**
 * Where requests wait while the loop does not keep up, or while many readings of their customer are under way, before anything
 * is made for them: context, headers, promises. What waits is carried along by the collector of young objects again and again,
 * so it should be little.
 *
 * Only requests of known callers wait here, each in the line of its customer; others in front of the guard for turns.
 */
@Injectable()
export class RequestAdmission {
  private readonly reads = new KeyedConcurrencyLimit(MAX_CONCURRENT_READS);

  constructor(
    private readonly eventLoop: EventLoopScheduler,
    private readonly callers: CallerCache,
  ) {}

  /** Calls `serve` once, now or when it is the customer's turn; also when too much waits, for the guard to refuse it. */
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

  /** Undefined for requests that never wait, and where a look-up has to tell. */
  private customerOf(request: IncomingMessage): string | undefined {
    if (neverWaits.test(request.url ?? '/')) return undefined;
    const hash = presentedHash(request);
    return hash === undefined ? undefined : this.callers.find(hash)?.customer.id;
  }
}
