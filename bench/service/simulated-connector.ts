import { setTimeout as sleep, setImmediate as turnOfTheLoop } from 'node:timers/promises';
import type {
  Checkpoint,
  Connection,
  Connector,
  RecordPage,
  PlatformFacts,
  Prediction,
  ReadScope,
  Settlement,
  WriteOutcome,
} from '../../src/platforms/connector';
import type { Portfolio } from '../portfolio/counts';
import { madeRecords } from '../portfolio/records';

/** Records of a page, as platforms give them. */
const PAGE = 500;

/**
 * A platform that generates its records while they are read, so that the bench measures neither memory nor network. It takes no
 * writes.
 */
export class SimulatedConnector implements Connector {
  /**
   * @param ending is called when the last page of a scope is about to be given, and may withhold it for good
   * @param latency milliseconds until a page is there; 0 for the next turn of the loop
   */
  constructor(
    private readonly portfolio: Portfolio,
    private readonly ending: (connection: Connection) => 'give' | 'withhold',
    private readonly latency = 0,
  ) {}

  describe(): Promise<PlatformFacts> {
    return Promise.resolve({ currency: 'USD' });
  }

  async *read(
    connection: Connection,
    { entityType }: ReadScope,
    checkpoint: Checkpoint | null,
  ): AsyncIterable<RecordPage> {
    const { platform } = connection;
    const count = this.portfolio.counts[entityType];
    // A checkpoint is the number of records that were given before.
    for (let from = Number(checkpoint ?? 0); from < count; from += PAGE) {
      const end = Math.min(from + PAGE, count);
      await (this.latency > 0 ? sleep(this.latency) : turnOfTheLoop()); // as an answer over the network would
      const records = madeRecords(platform, entityType, this.portfolio, from, end);
      if (end === count && this.ending(connection) === 'withhold') await new Promise(() => undefined);
      yield { records, next: end === count ? null : end, ...(end === count && { complete: true }) };
    }
    if (count > 0) return;
    this.ending(connection);
    yield { records: [], next: null, complete: true };
  }

  get(): Promise<undefined> {
    return Promise.resolve(undefined);
  }

  predict(): Prediction {
    return { status: 'rejected', reason: 'The bench does not write here' };
  }

  submit(): Promise<WriteOutcome> {
    return Promise.resolve({ status: 'rejected', reason: 'The bench does not write here' });
  }

  settle(): Promise<Settlement> {
    return Promise.resolve({ status: 'not_applied' });
  }
}
