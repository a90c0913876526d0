import { isJsonArray, isJsonObject, ownMember, type JsonObject, type JsonValue } from '@app/mapper';
import type { Checkpoint } from '../../connector';
import { readPlace, type ListPlace } from './list-place';

/** A list that remains to be read. */
export interface Target {
  readonly url: string;
  /** The name of the list in a gap, for people. */
  readonly name: string;
}

/** The position of the reading of a scope. */
export interface ScopePlace {
  /** The start of the next reading of changes, ISO 8601. */
  readonly cursor: string;
  /** The list that is being read, and the lists after it. */
  readonly targets: readonly Target[];
  /** The place in the first target; undefined at its start. */
  readonly list: ListPlace | undefined;
  readonly gaps: readonly string[];
}

/** The place in its stored form. */
export function checkpointOf({ cursor, targets, list, gaps }: ScopePlace): Checkpoint {
  return {
    cursor,
    targets: targets.map(({ url, name }) => ({ url, name })),
    ...(list !== undefined && { list: { ...list } }),
    gaps,
  };
}

/** @throws Error for anything but a stored place */
export function readCheckpoint(value: Checkpoint): ScopePlace {
  const place = isJsonObject(value) ? placeIn(value) : undefined;
  if (place === undefined) throw new Error('A checkpoint of platform_b cannot be read');
  return place;
}

function placeIn(value: JsonObject): ScopePlace | undefined {
  const cursor = ownMember(value, 'cursor');
  const targets = listOf(ownMember(value, 'targets'), targetIn);
  const gaps = listOf(ownMember(value, 'gaps'), (gap) => (typeof gap === 'string' ? gap : undefined));
  if (typeof cursor !== 'string' || targets === undefined || gaps === undefined) return undefined;
  return { cursor, targets, list: readPlace(ownMember(value, 'list')), gaps };
}

function targetIn(value: JsonValue): Target | undefined {
  if (!isJsonObject(value)) return undefined;
  const url = ownMember(value, 'url');
  const name = ownMember(value, 'name');
  return typeof url === 'string' && typeof name === 'string' ? { url, name } : undefined;
}

function listOf<Item>(
  value: JsonValue | undefined,
  read: (item: JsonValue) => Item | undefined,
): readonly Item[] | undefined {
  if (!isJsonArray(value)) return undefined;
  const items = value.map(read);
  return items.every((item) => item !== undefined) ? items : undefined;
}

/** The cursor of an earlier reading; undefined without one, and for any other value. */
export function readCursor(since: Checkpoint | undefined): string | undefined {
  return typeof since === 'string' && !Number.isNaN(Date.parse(since)) ? since : undefined;
}
