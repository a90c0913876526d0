import { Injectable, type BeforeApplicationShutdown } from '@nestjs/common';
import { UnitOfWork } from '../../database/transaction/unit-of-work';
import { isDecided } from '../history/history.repository';

/** How often the store is asked: another instance may have decided. */
const LOOK_MS = 250;

/** Where requests wait until platforms have decided on a change. Nobody waits with a database connection in hand. */
@Injectable()
export class OutcomeWaiter implements BeforeApplicationShutdown {
  private readonly waiting = new Map<string, Set<() => void>>();
  private stopped = false;

  constructor(private readonly unitOfWork: UnitOfWork) {}

  /** Something was decided about a change on this instance. */
  notify(propagationId: string): void {
    for (const wake of this.waiting.get(propagationId) ?? []) wake();
  }

  /** Waits until every platform has decided on a change, so many milliseconds at most, and not beyond a stop. */
  async waitUntilDecided(customerId: string, propagationId: string, milliseconds: number): Promise<void> {
    const deadline = performance.now() + milliseconds;
    while (!this.stopped) {
      const decided = await this.unitOfWork.run((store) => isDecided(store, customerId, propagationId), {
        customerId,
      });
      const left = deadline - performance.now();
      if (decided || left <= 0) return;
      await this.next(propagationId, Math.min(LOOK_MS, left));
    }
  }

  beforeApplicationShutdown(): void {
    this.stopped = true;
    for (const propagationId of this.waiting.keys()) this.notify(propagationId);
  }

  private async next(propagationId: string, milliseconds: number): Promise<void> {
    const wakers = this.waiting.get(propagationId) ?? new Set();
    this.waiting.set(propagationId, wakers);
    await new Promise<void>((resolve) => {
      const timer = setTimeout(wake, milliseconds);
      function wake(): void {
        clearTimeout(timer);
        wakers.delete(wake);
        resolve();
      }
      wakers.add(wake);
    });
    if (wakers.size === 0) this.waiting.delete(propagationId);
  }
}
