import { RecentMap } from '../../runtime/caching/recent-map';

/**
 * The most lists whose counts an instance caches, the most recently counted ones. A list of cases has some 350 counts
 * at most.
 */
const MOST_LISTS = 200;

/** For how long, in milliseconds: a client that pages through a list asks again sooner. */
const LIFE = 60_000;

/**
 * The counts of lists, for the pages behind their first one. To count a list reads all of it, so to count with each page
 * would cost the square of its length.
 */
export class RecentCounts<Counts> {
  private readonly lists = new RecentMap<string, { readonly counts: Counts; readonly until: number }>(
    MOST_LISTS,
  );

  /** @param now milliseconds of a clock that never goes back */
  constructor(private readonly now: () => number = () => performance.now()) {}

  /** The counts of a list; undefined if they are not known any more. */
  of(list: string): Counts | undefined {
    const known = this.lists.get(list);
    return known !== undefined && known.until > this.now() ? known.counts : undefined;
  }

  keep(list: string, counts: Counts): void {
    this.lists.set(list, { counts, until: this.now() + LIFE });
  }
}
