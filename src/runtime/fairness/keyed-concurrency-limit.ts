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
 * Limits the concurrent work of each tenant. Further work of the tenant waits before it begins, because it holds little
 * memory then. The objects of work that has begun would be copied by the garbage collector again and again while the work
 * waits for the database.
 */
export class KeyedConcurrencyLimit {
  private readonly uses = new Map<string, KeyUse>();
  private waitingNow = 0;

  /** @param most maximum concurrent work of one tenant */
  constructor(private readonly most: number) {}

  /** Units of work that wait. */
  get waiting(): number {
    return this.waitingNow;
  }

  /**
   * Begins work, now or after other work of its tenant has ended. Refuses it if too much work waits or the wait takes
   * too long.
   */
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

  /** Ends work that has begun, so that the tenant's next work begins. */
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
