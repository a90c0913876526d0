import {
  assembleFields,
  groupBy,
  inPrecedence,
  isJsonObject,
  parseJsonText,
  type PlatformCopy,
  type PlatformName,
  type Precedence,
  type StoredEntityType,
} from '@app/mapper';
import type { CustomerTransaction } from '../../database/transaction/store';
import { objectNow, objectThen } from './placement-then';
import { recordsAt } from '../changes/record-versions.repository';
import { loadTerms } from '../terms/terms.repository';

/** A project or a company to which another object refers. */
export interface NamedObject {
  /** Null if the object has no record or no name. */
  readonly name: string | null;
  /** Platforms that have a record of the object. */
  readonly platforms: readonly PlatformName[];
}

/** Maximum bytes of records that one statement reads. The first object is always included. */
const BYTES = 256 * 1024;

/** The most statements with which one call reads names. */
const MOST_READ = 8;

interface NameRow {
  readonly place: number;
  readonly id: string;
  readonly entity_type: StoredEntityType;
  readonly platform: PlatformName;
  readonly platform_id: string;
  readonly variant: string | null;
  readonly payload: string;
  /** Whether the records of some objects exceed the byte limit. */
  readonly cut: boolean;
}

// Each wanted object looks for its own records: of a time in the past the planner would else read the records of all objects.
const namesIn = (records: string, object: string): string => `
  with wanted as (
    select w.id, w.place, ${object} as canonical_id from unnest($2::text[]) with ordinality w (id, place)
  )
  select s.place::int as place, s.id, s.entity_type, s.platform, s.platform_id, s.variant, s.payload, s.cut
  from (
    select sized.*, max(sized.bytes) over () > ${BYTES} as cut, min(sized.place) over () as first
    from (
      select w.place, w.id, r.entity_type, r.platform, r.platform_id, r.variant,
        coalesce(r.accepted, r.payload)::text as payload,
        sum(octet_length(coalesce(r.accepted, r.payload)::text)) over (order by w.place) as bytes
      from wanted w
      cross join lateral (
        select n.* from ${records} n where n.customer_id = $1 and n.canonical_id = w.canonical_id offset 0
      ) r
    ) sized
  ) s
  where s.bytes <= ${BYTES} or s.place = s.first
  order by s.place`;

const now = namesIn('platform_records', objectNow('w.id'));
const then = namesIn(recordsAt('$3'), objectThen('w.id', '$3'));

/**
 * Projects and companies by ID, with their names. If the records are too large, the last IDs have no entry, and the caller
 * shows only what comes before them. At least the first two IDs have an entry.
 *
 * @param ids in the order of their importance, each once
 * @param time reads the names of that past time (UTC with microseconds); without it the present names
 */
export async function readNames(
  tx: CustomerTransaction,
  ids: readonly string[],
  precedence: Precedence,
  time?: string,
): Promise<ReadonlyMap<string, NamedObject>> {
  const names = new Map<string, NamedObject>();
  let left = ids;
  for (let reads = 0; left.length > 0 && reads < MOST_READ; reads += 1) {
    const rows = await (time === undefined
      ? tx.query<NameRow>(now, [left])
      : tx.query<NameRow>(then, [left, time]));
    const last = rows.at(-1);
    const read = last?.cut === true ? left.slice(0, last.place) : left;
    const byId = groupBy(rows, (row) => row.id);
    for (const id of read) names.set(id, namedIn(byId.get(id) ?? [], precedence));
    left = left.slice(read.length);
  }
  return names;
}

/**
 * The names that projects and companies had at a time, by ID; none for an object without a record or a name.
 *
 * @param ids each once; any number of them
 * @param time in UTC, with microseconds
 */
export async function allNames(
  tx: CustomerTransaction,
  ids: readonly string[],
  time: string,
): Promise<ReadonlyMap<string, string>> {
  const names = new Map<string, string>();
  if (ids.length === 0) return names;
  const { precedence } = await loadTerms(tx, time);
  for (let left = ids; left.length > 0;) {
    const read = await readNames(tx, left, precedence, time);
    for (const [id, { name }] of read) if (name !== null) names.set(id, name);
    left = left.filter((id) => !read.has(id));
  }
  return names;
}

function namedIn(rows: readonly NameRow[], precedence: Precedence): NamedObject {
  const [first] = rows;
  if (first === undefined) return { name: null, platforms: [] };
  const copies = inPrecedence(rows.map(copyFrom));
  const object = { id: first.id, entityType: first.entity_type, extra: {}, copies };
  const { name } = assembleFields(object, ['name'], { precedence });
  return {
    name: typeof name === 'string' ? name : null,
    platforms: rows.map(({ platform }) => platform),
  };
}

/** Any currency would do, because only texts of these records are read. */
const currency = 'USD';

function copyFrom({ platform, platform_id: platformId, variant, payload }: NameRow): PlatformCopy {
  const record = parseJsonText(payload);
  if (!isJsonObject(record)) throw new Error('A stored record is no JSON object');
  return {
    platform,
    platformId,
    variant,
    payload: record,
    inheritedCurrency: currency,
    localCurrency: currency,
    references: {},
  };
}
