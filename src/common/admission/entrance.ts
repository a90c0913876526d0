import { Injectable } from '@nestjs/common';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { CallerCache } from '../../auth/caller-cache';
import { presentedHash } from '../../auth/presented-key';
import { LoopTime } from '../../runtime/fairness/loop-time';
import type { Overloaded } from '../../runtime/fairness/overloaded';
import { UnderWay } from '../../runtime/fairness/under-way';
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

type Entering = IncomingMessage & { turnOf?: string; refusedTurn?: Overloaded };

// eslint-disable-next-line no-restricted-syntax -- made of constants only
const neverWaits = new RegExp(`^/(?:${PROBE_PATHS.join('|')}|api/v1/health)(?:\\?|$)`);

/**
 * Readings of one customer that are under way at the same time. More of them would only wait together for its connections to
 * the database.
 */
export const MOST_READINGS = 64;

/**
 * Where requests wait while the loop does not keep up, or while many readings of their customer are under way, before anything
 * is made for them: context, headers, promises. What waits is carried along by the collector of young objects again and again,
 * so it should be little.
 *
 * Only requests of known callers wait here, each in the line of its customer; others in front of the guard for turns.
 */
@Injectable()
export class Entrance {
  private readonly readings = new UnderWay(MOST_READINGS);

  constructor(
    private readonly loopTime: LoopTime,
    private readonly callers: CallerCache,
  ) {}

  /** Calls `serve` once, now or when it is the customer's turn; also when too much waits, for the guard to refuse it. */
  enter(request: IncomingMessage, response: ServerResponse, serve: () => void): void {
    const isReading = request.method === 'GET' || request.method === 'HEAD';
    const party = isReading || !this.loopTime.isFree ? this.customerOf(request) : undefined;
    if (party === undefined) return serve();
    const entering: Entering = request;
    const begin = (): void => {
      entering.turnOf = party;
      serve();
    };
    const refuse = (reason: Overloaded): void => {
      entering.refusedTurn = reason;
      serve();
    };
    const inTurn = (): void => this.loopTime.enter(party, { begin, refuse });
    if (!isReading) return inTurn();
    const beginReading = (): void => {
      whenClosed(response, () => this.readings.leave(party));
      inTurn();
    };
    this.readings.enter(party, { begin: beginReading, refuse });
  }

  /** Undefined for requests that never wait, and where a look-up has to tell. */
  private customerOf(request: IncomingMessage): string | undefined {
    if (neverWaits.test(request.url ?? '/')) return undefined;
    const hash = presentedHash(request);
    return hash === undefined ? undefined : this.callers.find(hash)?.customer.id;
  }
}
