import { shortened, storableText, type StoredEntityType } from '@app/mapper';
import type { Progress } from './checkpoints.repository';

/** The most gaps that a report names, and the most characters of each. Only the log counts further ones. */
const MOST_GAPS = 50;
const LONGEST_GAP = 300;

/** The results of a run, except the counts of its records. */
export interface RunReport {
  /** Whether every scope was read to its end, without a gap. */
  readonly complete: boolean;
  /** Whether every scope was read from its beginning, so that the reading shows missing records. */
  readonly whole: boolean;
  /** The parts that could not be read, in words. */
  readonly gaps: readonly string[];
  /** Calls to the platform. */
  readonly calls: number;
  /** Calls that the platform's rate limits rejected. */
  readonly limited: number;
  /** Records that were marked as deleted. */
  readonly deleted: number;
  /** Missing records that stay until a person accepts their deletion, because they are so many. */
  readonly deletionsHeld: number;
}

/** Records that the end of a run marked as deleted, and records that wait for a person. */
export interface Deletions {
  readonly deleted: number;
  readonly held: number;
}

/** The report of a run from the scopes read so far. Pure. */
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
    // A project without access is a gap of every type.
    gaps: [...new Set(scopes.flatMap(({ gaps }) => gaps))]
      .slice(0, MOST_GAPS)
      .map((gap) => shortened(storableText(gap), LONGEST_GAP)),
    calls: sum(scopes, ({ calls }) => calls),
    limited: sum(scopes, ({ limited }) => limited),
    deleted: sum(deletions.values(), ({ deleted }) => deleted),
    deletionsHeld: sum(deletions.values(), ({ held }) => held),
  };
}

/** Parses a stored report. A run of an earlier release has no report and counts as complete. */
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
