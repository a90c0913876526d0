import { setImmediate as turn, setTimeout as sleep } from 'node:timers/promises';
import { SimulatedClock } from '@app/simulators';
import { realTime } from '../../../src/platforms/live/time';
import { HttpExchanges } from '../../../src/platforms/live/transport/http-exchanges';
import type { PlatformRequest } from '../../../src/platforms/live/platform-request';
import { UnitOfWork } from '../../../src/database/transaction/unit-of-work';

/**
 * The number of consecutive checks, one millisecond apart, that must find no work in progress before time advances.
 */
const QUIET_LOOKS = 5;

/**
 * Virtual time that advances only while everything waits, so calls to platforms and the database take no virtual time,
 * however slow the machine is. It replaces the clock of the platforms, the clock of the rate limiter, and all pauses
 * between calls. Everything else in the service uses real time.
 *
 * The rate limiter takes its clock from the database, so a test file must also replace that by {@link VirtualTime.now}
 * (see `lockLimiter`).
 */
export class VirtualTime {
  readonly clock = new SimulatedClock({ factor: 0 });
  /** Called with each request to a platform. */
  sending: (request: PlatformRequest) => void = () => undefined;
  /** Milliseconds that each request to a platform takes. */
  callMs = 100;
  private atWork = 0;
  private isOver = false;
  private driving: Promise<void> | undefined;

  /** Replaces the clock of this process until {@link stop}. Restore mocks after that. */
  start(): void {
    jest.spyOn(realTime, 'now').mockImplementation(() => this.clock.now());
    jest.spyOn(realTime, 'random').mockReturnValue(0.5);
    jest.spyOn(realTime, 'sleep').mockImplementation((ms, signal) => this.sleep(ms, signal));
    this.watch(jest.spyOn(UnitOfWork.prototype, 'run'));
    this.watch(jest.spyOn(UnitOfWork.prototype, 'read'));
    this.watch(jest.spyOn(UnitOfWork.prototype, 'runTogether'));
    this.watch(jest.spyOn(HttpExchanges.prototype, 'send'), async ([request]) => {
      await this.sleep(this.callMs, request.signal);
      this.sending(request);
    });
    this.driving = this.drive();
  }

  async stop(): Promise<void> {
    this.isOver = true;
    await this.driving;
  }

  private sleep(ms: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const refuse = (): void => reject(signal.reason as Error); // The caller that aborts gives an Error.
      if (signal.aborted) return refuse();
      const cancel = this.clock.after(ms, () => {
        signal.removeEventListener('abort', giveUp);
        resolve();
      });
      const giveUp = (): void => {
        cancel();
        refuse();
      };
      signal.addEventListener('abort', giveUp, { once: true });
    });
  }

  /**
   * Counts the unfinished calls of a method.
   *
   * @param before precedes each call and does not count as work
   */
  private watch<Args extends unknown[], Result>(
    method: jest.SpyInstance<Promise<Result>, Args>,
    before: (args: Args) => Promise<void> = () => Promise.resolve(),
  ): void {
    const original = method.getMockImplementation();
    if (original === undefined) throw new Error('The method is not there');
    const during = (work: Promise<Result>): Promise<Result> => {
      this.atWork += 1;
      return work.finally(() => (this.atWork -= 1));
    };
    method.mockImplementation(function (this: unknown, ...args) {
      return before(args).then(() => during(original.apply(this, args)));
    });
  }

  private async drive(): Promise<void> {
    while (!this.isOver) {
      if (!(await this.isQuiet())) continue;
      const next = this.clock.untilNext();
      if (next !== undefined) this.clock.advance(next);
    }
  }

  private async isQuiet(): Promise<boolean> {
    for (let look = 0; look < QUIET_LOOKS; look += 1) {
      await sleep(1);
      await turn();
      if (this.atWork > 0 || this.isOver) return false;
    }
    return true;
  }
}
