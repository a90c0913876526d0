import { Injectable, type BeforeApplicationShutdown } from '@nestjs/common';
import { UnitOfWork } from '../../database/transaction/unit-of-work';
import { PropagationsRepository } from '../history/propagations.repository';

/** Milliseconds between two reads of the database. Another instance may have recorded an outcome. */
const POLL_MS = 250;

/** Lets requests wait for the outcomes of their changes. A waiting request holds no database connection. */
@Injectable()
export class OutcomeWaiter implements BeforeApplicationShutdown {
  private readonly waiting = new Map<string, Set<() => void>>();
  private stopped = false;

  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly history: PropagationsRepository,
  ) {}

  /** Wakes the requests that wait for a change, because this instance has recorded an outcome. */
  notify(propagationId: string): void {
    for (const wake of this.waiting.get(propagationId) ?? []) wake();
  }

  /**
   * Waits until every platform has decided on a change, for at most so many milliseconds. A stop of the service ends
   * the wait.
   */
  async waitUntilDecided(customerId: string, propagationId: string, milliseconds: number): Promise<void> {
    const deadline = performance.now() + milliseconds;
    while (!this.stopped) {
      const decided = await this.unitOfWork.runFor(customerId, (tx) =>
        this.history.isDecided(tx, propagationId),
      );
      const left = deadline - performance.now();
      if (decided || left <= 0) return;
      await this.next(propagationId, Math.min(POLL_MS, left));
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
