import type { SimulatedClock } from '../../server';
import { ODataError } from '../odata-error';
import type { Switches } from '../switches';

const WINDOW = 5 * 60_000;
const LONGEST_WAIT = 8 * 60_000;

interface Waiting {
  readonly start: () => void;
}

interface Principal {
  running: number;
  readonly queue: Waiting[];
  /** Arrival times of the requests of the window, oldest first. */
  came: number[];
}

/**
 * Limits the requests of a client: their number within a sliding window of five minutes, and the number of concurrent
 * ones. Further requests wait in a queue, which is limited too, for eight minutes at most.
 */
export class RequestLimiter {
  private readonly principals = new Map<string, Principal>();
  /** The maximum number of concurrent requests of a client. */
  mostRunning = 0;
  refusals = 0;

  constructor(
    private readonly clock: SimulatedClock,
    private readonly switches: Switches,
  ) {}

  /**
   * Waits until the request may run. The returned function releases its slot.
   *
   * @throws ODataError 429 beyond the limits, 503 after eight minutes in the queue
   */
  async enter(client: string, weight = 1): Promise<() => void> {
    const principal = this.principalOf(client);
    const most = this.switches.get('requestsPerWindow');
    const came = this.recent(principal);
    if (came.length + weight > most) throw this.tooMany(came.length + weight, most);
    const connections = principal.running + principal.queue.length + 1;
    const mostConnections = this.switches.get('connections');
    if (connections > mostConnections) throw this.tooMany(connections, mostConnections);
    for (let count = 0; count < weight; count += 1) came.push(this.clock.now());
    if (principal.running >= this.switches.get('runningAtOnce')) await this.turn(principal);
    else principal.running += 1;
    this.mostRunning = Math.max(this.mostRunning, principal.running);
    return () => {
      // The next request of the queue takes the slot at once.
      const next = principal.queue.shift();
      if (next === undefined) principal.running -= 1;
      else next.start();
    };
  }

  private turn(principal: Principal): Promise<void> {
    return new Promise((resolve, reject) => {
      const waiting: Waiting = {
        start: () => {
          cancel();
          resolve();
        },
      };
      const cancel = this.clock.after(LONGEST_WAIT, () => {
        principal.queue.splice(principal.queue.indexOf(waiting), 1);
        reject(
          new ODataError(503, 'Internal_TenantUnavailable', 'The request waited too long in the queue.', {
            'retry-after': '30',
          }),
        );
      });
      principal.queue.push(waiting);
    });
  }

  private recent(principal: Principal): number[] {
    const since = this.clock.now() - WINDOW;
    const first = principal.came.findIndex((at) => at > since);
    if (first !== 0) principal.came = first < 0 ? [] : principal.came.slice(first);
    return principal.came;
  }

  private principalOf(client: string): Principal {
    const principal = this.principals.get(client) ?? { running: 0, queue: [], came: [] };
    this.principals.set(client, principal);
    return principal;
  }

  private tooMany(actual: number, most: number): ODataError {
    this.refusals += 1;
    const seconds = this.switches.get('retryAfterOn429');
    return new ODataError(
      429,
      'Application_TooManyRequests',
      `Too many requests reached. Actual (${actual}). Maximum (${most}).`,
      seconds > 0 ? { 'retry-after': String(seconds) } : {},
    );
  }
}
