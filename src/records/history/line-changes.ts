import {
  groupBy,
  isJsonObject,
  ownMember,
  sameJson,
  setMember,
  stringifyJson,
  type JsonArray,
  type JsonObject,
  type JsonValue,
} from '@app/mapper';

/** Maximum number of lines of one record that a difference has. A record may have thousands. */
export const MOST_LINES = 50;

/** The lines of a record on its platform. */
export interface ShownLines {
  /** The native list that they stand in. */
  readonly list: string;
  readonly lines: JsonArray;
  /** Whether the platform sets a member of a line itself: a time stamp, or a figure that it computes. */
  readonly isComputed: (member: string) => boolean;
}

/** Lines that differ, each with its ID and the members that differ. An added or removed line is whole. */
export interface LineChanges {
  readonly before: readonly JsonObject[];
  readonly after: readonly JsonObject[];
  /** How many more lines differ. */
  readonly more: number;
}

/**
 * The lines that differ between two states of a record, without what the platform sets itself; undefined if there are
 * none. Lines are compared by their IDs, and those without an ID of their own by their places. Pure.
 */
export function lineChanges(
  before: JsonArray,
  after: JsonArray,
  isComputed: ShownLines['isComputed'],
): LineChanges | undefined {
  const [was, is] = [linesByName(before), linesByName(after)];
  const changes: { before: JsonObject[]; after: JsonObject[]; more: number } = {
    before: [],
    after: [],
    more: 0,
  };
  let found = 0;
  for (const name of new Set([...was.keys(), ...is.keys()])) {
    const [one, other] = [was.get(name), is.get(name)];
    const members = differingMembers(one ?? {}, other ?? {}).filter((member) => !isComputed(member));
    if (members.length === 0) continue;
    found += 1;
    if (found > MOST_LINES) {
      changes.more += 1;
      continue;
    }
    if (one !== undefined) changes.before.push(named(one, members));
    if (other !== undefined) changes.after.push(named(other, members));
  }
  return found === 0 ? undefined : changes;
}

function linesByName(lines: JsonArray): ReadonlyMap<string, JsonObject> {
  const objects = lines.filter(isJsonObject);
  const alike = groupBy(objects, idOf);
  return new Map(
    objects.map((line, place) => {
      const id = idOf(line);
      return [id !== undefined && alike.get(id)?.length === 1 ? `id ${id}` : `place ${place}`, line];
    }),
  );
}

function idOf(line: JsonObject): string | undefined {
  const id = ownMember(line, 'id') ?? null;
  return id === null ? undefined : stringifyJson(id);
}

function differingMembers(one: JsonObject, other: JsonObject): readonly string[] {
  return [...new Set([...Object.keys(one), ...Object.keys(other)])].filter(
    (member) => !sameJson(ownMember(one, member), ownMember(other, member)),
  );
}

/** Some members of a line, after its ID. */
function named(line: JsonObject, members: readonly string[]): JsonObject {
  const picked: Record<string, JsonValue> = {};
  for (const member of new Set(['id', ...members])) {
    const value = ownMember(line, member);
    if (value !== undefined) setMember(picked, member, value);
  }
  return picked;
}
