import type { StoredEntityType } from '@app/mapper';
import type { Progress } from '../reading/checkpoints.repository';

/** Gaps that a report names, and the characters of each. Only the log counts what stands beyond. */
const MOST_GAPS = 50;
const LONGEST_GAP = 300;

/** What a run came to beside the counts of its records. */
export interface RunReport {
  /** Whether every scope was read to its end, without a gap. */
  readonly complete: boolean;
  /** Whether every scope was read from its beginning, so that absences show. */
  readonly whole: boolean;
  /** What could not be read, in words. */
  readonly gaps: readonly string[];
  /** Calls of the platform, and those that it refused because of its limits. */
  readonly calls: number;
  readonly limited: number;
  /** Records that are gone from the platform, and were marked as deleted. */
  readonly deleted: number;
  /** Records that are gone but stay until a person accepts it, because they are so many. */
  readonly deletionsHeld: number;
}

/** Records that an end of a run marked as deleted, and those that wait for a person. */
export interface Deletions {
  readonly deleted: number;
  readonly held: number;
}

/** The report of a run whose scopes were read so far. Pure. */
export function reportOf(
  seen: ReadonlyMap<StoredEntityType, Progress>,
  deletions: ReadonlyMap<StoredEntityType, Deletions>,
): RunReport {
  const scopes = [...seen.values()];
  const sum = <Item>(items: Iterable<Item>, count: (item: Item) => number): number =>
    [...items].reduce((total, item) => total + count(item), 0);
  return {
    complete: scopes.every(({ complete, gaps }) => complete === true && gaps.length === 0),
    whole: scopes.every(({ since }) => since === null),
    // A project that is not to be seen is a gap of each type.
    gaps: [...new Set(scopes.flatMap(({ gaps }) => gaps))]
      .slice(0, MOST_GAPS)
      .map((gap) => (gap.length > LONGEST_GAP ? `${gap.slice(0, LONGEST_GAP)}…` : gap)),
    calls: sum(scopes, ({ calls }) => calls),
    limited: sum(scopes, ({ limited }) => limited),
    deleted: sum(deletions.values(), ({ deleted }) => deleted),
    deletionsHeld: sum(deletions.values(), ({ held }) => held),
  };
}

/** A report out of a column. A run of a release that wrote none has read everything, as far as is known. */
export function reportFrom(value: unknown): RunReport {
  const member = (name: keyof RunReport): unknown =>
    typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
  const number = (name: keyof RunReport): number => {
    const found = member(name);
    return typeof found === 'number' ? found : 0;
  };
  const gaps = member('gaps');
  return {
    complete: member('complete') !== false,
    whole: member('whole') !== false,
    gaps: Array.isArray(gaps) ? gaps.map(String) : [],
    calls: number('calls'),
    limited: number('limited'),
    deleted: number('deleted'),
    deletionsHeld: number('deletionsHeld'),
  };
}
