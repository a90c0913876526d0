import { MOST_WAITING, WAIT_LIMIT_MS, type LoopTask } from './event-loop-scheduler';
import { Overloaded } from './overloaded';

interface WaitingTask {
  readonly begin: () => void;
  readonly limit: NodeJS.Timeout;
}

interface KeyUse {
  running: number;
  /** In order of arrival. */
  readonly waiting: Set<WaitingTask>;
}

/**
 * Bounds how many works of each tenant are under way at the same time. The others of that tenant wait, where they hold little:
 * what has begun and waits for the database is carried along by the collector, again and again.
 */
export class KeyedConcurrencyLimit {
  private readonly uses = new Map<string, KeyUse>();
  private waitingNow = 0;

  /** @param most works of one tenant */
  constructor(private readonly most: number) {}

  /** Works that wait. */
  get waiting(): number {
    return this.waitingNow;
  }

  /** Begins a work, now or when others of its tenant have left; or refuses it, when too many wait or for too long. */
  acquire(tenant: string, { begin, refuse }: Required<LoopTask>): void {
    const use = this.uses.get(tenant) ?? { running: 0, waiting: new Set() };
    this.uses.set(tenant, use);
    if (use.running < this.most) {
      use.running += 1;
      begin();
    } else if (use.waiting.size >= MOST_WAITING.each || this.waitingNow >= MOST_WAITING.all) {
      refuse(new Overloaded('Too many requests wait'));
    } else {
      const waiting: WaitingTask = {
        begin,
        limit: setTimeout(() => {
          this.dequeue(use, waiting);
          refuse(new Overloaded(`Others were under way for ${WAIT_LIMIT_MS} ms`));
        }, WAIT_LIMIT_MS),
      };
      use.waiting.add(waiting);
      this.waitingNow += 1;
    }
  }

  /** Ends a work that has begun; the next of its tenant begins. */
  release(tenant: string): void {
    const use = this.uses.get(tenant);
    if (use === undefined) return;
    const [next] = use.waiting;
    if (next !== undefined) {
      clearTimeout(next.limit);
      this.dequeue(use, next);
      next.begin();
      return;
    }
    use.running -= 1;
    if (use.running === 0) this.uses.delete(tenant);
  }

  private dequeue(use: KeyUse, waiting: WaitingTask): void {
    use.waiting.delete(waiting);
    this.waitingNow -= 1;
  }
}
