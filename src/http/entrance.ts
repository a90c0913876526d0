import { Injectable } from '@nestjs/common';
import type { IncomingMessage } from 'node:http';
import { CallerCache } from '../auth/caller-cache';
import { presentedHash } from '../auth/presented-key';
import { LoopTime } from '../fairness/loop-time';
import type { Overloaded } from '../fairness/overloaded';
import { PROBE_PATHS } from './probe-paths';

declare module 'express-serve-static-core' {
  interface Request {
    /** Whose turn it has had already, before anything was made for it; absent where it did not have to wait then. */
    turnOf?: string;
    /** Why it got none; absent otherwise. */
    refusedTurn?: Overloaded;
  }
}

type Entering = IncomingMessage & { turnOf?: string; refusedTurn?: Overloaded };

const neverWaits = new RegExp(`^/(?:${PROBE_PATHS.join('|')}|api/v1/health)(?:\\?|$)`);

/**
 * Where requests wait while the loop does not keep up, before anything is made for them: context, headers, promises. What
 * waits is carried along by the collector of young objects again and again, so it should be little.
 *
 * Only requests of known callers wait here, each in the line of its customer; others in front of the guard for turns.
 */
@Injectable()
export class Entrance {
  constructor(
    private readonly loopTime: LoopTime,
    private readonly callers: CallerCache,
  ) {}

  /** Calls `serve` once, now or when it is the customer's turn; also when too much waits, for the guard to refuse it. */
  enter(request: IncomingMessage, serve: () => void): void {
    const party = this.loopTime.isFree ? undefined : this.customerOf(request);
    if (party === undefined) return serve();
    const entering: Entering = request;
    this.loopTime.enter(party, {
      begin: () => {
        entering.turnOf = party;
        serve();
      },
      refuse: (reason) => {
        entering.refusedTurn = reason;
        serve();
      },
    });
  }

  /** Undefined for requests that never wait, and where a look-up has to tell. */
  private customerOf(request: IncomingMessage): string | undefined {
    if (neverWaits.test(request.url ?? '/')) return undefined;
    const hash = presentedHash(request);
    return hash === undefined ? undefined : this.callers.find(hash)?.customer.id;
  }
}
