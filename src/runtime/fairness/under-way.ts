import { MOST_WAITING, WAIT_LIMIT_MS, type Piece } from './loop-time';
import { Overloaded } from './overloaded';

interface Waiting {
  readonly begin: () => void;
  readonly limit: NodeJS.Timeout;
}

interface Line {
  underWay: number;
  /** In order of arrival. */
  readonly waiting: Set<Waiting>;
}

/**
 * Bounds how many works of each party are under way at the same time. The others of that party wait, where they hold little:
 * what has begun and waits for the database is carried along by the collector, again and again.
 */
export class UnderWay {
  private readonly lines = new Map<string, Line>();
  private waitingNow = 0;

  /** @param most works of one party */
  constructor(private readonly most: number) {}

  /** Works that wait. */
  get waiting(): number {
    return this.waitingNow;
  }

  /** Begins a work, now or when others of its party have left; or refuses it, when too many wait or for too long. */
  enter(party: string, { begin, refuse }: Required<Piece>): void {
    const line = this.lines.get(party) ?? { underWay: 0, waiting: new Set() };
    this.lines.set(party, line);
    if (line.underWay < this.most) {
      line.underWay += 1;
      begin();
    } else if (line.waiting.size >= MOST_WAITING.each || this.waitingNow >= MOST_WAITING.all) {
      refuse(new Overloaded('Too many requests wait'));
    } else {
      const waiting: Waiting = {
        begin,
        limit: setTimeout(() => {
          this.take(line, waiting);
          refuse(new Overloaded(`Others were under way for ${WAIT_LIMIT_MS} ms`));
        }, WAIT_LIMIT_MS),
      };
      line.waiting.add(waiting);
      this.waitingNow += 1;
    }
  }

  /** Ends a work that has begun; the next of its party begins. */
  leave(party: string): void {
    const line = this.lines.get(party);
    if (line === undefined) return;
    const [next] = line.waiting;
    if (next !== undefined) {
      clearTimeout(next.limit);
      this.take(line, next);
      next.begin();
      return;
    }
    line.underWay -= 1;
    if (line.underWay === 0) this.lines.delete(party);
  }

  private take(line: Line, waiting: Waiting): void {
    line.waiting.delete(waiting);
    this.waitingNow -= 1;
  }
}
