import { keyRules, storedEntityTypes, type StoredEntityType } from '@app/mapper';
import type { Store } from '../../database/store';
import { keepAbsentMoves } from '../../records/absent-moves';
import type { ChangeCause } from '../../records/changes';
import { referenceColumns } from '../../records/record-columns';
import { mergeObjects } from '../merging';
import { ownIds } from '../own-ids';
import { insertObjects, moveRecords, type Move } from '../parting';
import { arrange, type Member, type Part } from './arrange';
import { nameOf, type Bonds, type RecordName } from './bonds';
import { loadBonds } from './decisions.repository';
import { partedObjects, rehouse, type Rehousing } from './rehousing';
import {
  createdAmong,
  firstHolders,
  groupsOf,
  membersOf,
  repeatedKeysUnder,
  type Groups,
  type Placed,
  type Scope,
} from './scope.repository';

/** Who decides, as far as records are matched anew by it. */
export interface Deciding {
  readonly customerId: string;
  readonly cause: ChangeCause;
}

/** A record that belongs to another object now. */
export interface Rehoused extends RecordName {
  readonly entityType: StoredEntityType;
  readonly object: string;
  /** The object that it belonged to. */
  readonly was: string;
}

/** What matching anew came to. */
export interface Rematched {
  readonly records: readonly Rehoused[];
  /** Objects that something left, entered, or that were made or ended. */
  readonly objects: ReadonlySet<string>;
  /** Objects that records have left. */
  readonly left: ReadonlySet<string>;
}

/**
 * Matches anew what a decision concerns, within the caller's transaction, which holds the customer's lock exclusively: the
 * records of some objects with all that share a group with them, and then the records whose parents became other
 * objects, as far as their keys repeat. The result is what matching all records would come to.
 *
 * @param objects the objects of the records that were decided about
 * @param before the decisions about their records that stood until now; those that stand now are read
 */
export async function rematch(
  store: Store,
  deciding: Deciding,
  entityType: StoredEntityType,
  objects: readonly string[],
  before: Bonds,
): Promise<Rematched> {
  const scope = { customerId: deciding.customerId, entityType, changeId: deciding.cause.id };
  const own = await membersOf(store, scope, objects);
  const keys = [...new Set(own.flatMap(({ key }) => (key === null ? [] : [key])))];
  const groups = await groupsOf(store, scope, keys, objects);
  const concerned = new Set([...objects, ...[...groups.values()].map(({ record }) => record.object)]);
  const members = await membersOf(store, scope, [...concerned]);
  const after = await loadBonds(store, scope.customerId, entityType, members);
  return carryOut(
    store,
    deciding,
    scope,
    await arranged(store, scope, members, groups, groups, before, after),
    after,
  );
}

/** Matches anew the records whose parents are other objects now. */
async function rematchChildren(
  store: Store,
  deciding: Deciding,
  scope: Scope,
  keys: readonly string[],
  before: Groups,
): Promise<Rematched> {
  const after = await groupsOf(store, scope, keys);
  const changed = new Set<string>();
  for (const [name, { group }] of before) if (after.get(name)?.group !== group) changed.add(name);
  for (const [name, { group }] of after) if (before.get(name)?.group !== group) changed.add(name);
  if (changed.size === 0) return nothing;
  const touched = new Set([...changed].flatMap((name) => [before.get(name)?.group, after.get(name)?.group]));
  const objects = new Set<string>();
  for (const groups of [before, after])
    for (const { record, group } of groups.values()) if (touched.has(group)) objects.add(record.object);
  const members = await membersOf(store, scope, [...objects]);
  const bonds = await loadBonds(store, scope.customerId, scope.entityType, members);
  return carryOut(
    store,
    deciding,
    scope,
    await arranged(store, scope, members, before, after, bonds, bonds),
    bonds,
  );
}

async function arranged(
  store: Store,
  scope: Scope,
  placed: readonly Placed[],
  before: Groups,
  after: Groups,
  stood: Bonds,
  stand: Bonds,
): Promise<readonly Part[]> {
  const created = await createdAmong(store, scope, [...new Set(placed.map(({ object }) => object))]);
  const members = placed.map((record): Member => {
    const name = nameOf(record);
    return {
      ...record,
      before: before.get(name)?.group ?? null,
      after: after.get(name)?.group ?? null,
      created: created.has(name),
    };
  });
  return arrange(members, stood, stand);
}

const nothing: Rematched = { records: [], objects: new Set(), left: new Set() };

/** Writes what was arranged, and goes on with the records that it makes a difference to. */
async function carryOut(
  store: Store,
  deciding: Deciding,
  scope: Scope,
  parts: readonly Part[],
  bonds: Bonds,
): Promise<Rematched> {
  const holders = await firstHolders(store, scope, partedObjects(parts));
  const housing = rehouse(parts, holders);
  if (housing.merges.length === 0 && housing.moves.length === 0) return nothing;
  const moves = await housed(store, deciding, scope, housing);
  const left = new Set(moves.map(({ from }) => from));
  const objects = new Set([
    ...housing.merges.flatMap(({ goes, stays }) => [goes, stays]),
    ...moves.flatMap(({ from, to }) => [from, to]),
  ]);
  const children = await childrenOf(store, deciding, scope, [...objects]);
  await moveInTurn(store, deciding, scope, moves, parts);
  await takeAbsentAlong(store, deciding, scope, moves, bonds);
  await merge(store, deciding, scope, housing);
  const own = rehousedOf(scope, parts, housing, moves);
  const further: Rematched[] = [];
  for (const { child, keys, groups } of children)
    further.push(await rematchChildren(store, deciding, child, keys, groups));
  return {
    records: [...own, ...further.flatMap(({ records }) => records)],
    objects: new Set([...objects, ...further.flatMap((one) => [...one.objects])]),
    left: new Set([...left, ...further.flatMap((one) => [...one.left])]),
  };
}

/** Which records move where; objects that are to be made, are made. */
async function housed(
  store: Store,
  { customerId, cause }: Deciding,
  { entityType }: Scope,
  { moves }: Rehousing,
): Promise<readonly Move[]> {
  const homeless = moves.flatMap(({ part, to }) => (to === undefined ? part.slice(0, 1) : []));
  const ids = await ownIds(store, customerId, entityType, homeless, cause.id);
  await insertObjects(store, customerId, entityType, ids);
  const made = new Map(homeless.map((record, place) => [nameOf(record), ids[place]]));
  return moves.flatMap(({ records, part, to }) => {
    const [first] = part;
    const target = to ?? (first && made.get(nameOf(first)));
    if (target === undefined) throw new Error('A part has no object');
    return records.map(({ platform, platformId, object }) => ({
      platform,
      platformId,
      from: object,
      to: target,
    }));
  });
}

/** The groups of the records under some objects, as they are before these become others. */
async function childrenOf(
  store: Store,
  { customerId, cause }: Deciding,
  { entityType }: Scope,
  parents: readonly string[],
): Promise<readonly { readonly child: Scope; readonly keys: readonly string[]; readonly groups: Groups }[]> {
  const children: { child: Scope; keys: readonly string[]; groups: Groups }[] = [];
  for (const type of storedEntityTypes) {
    if (!isDecidedBy(type, entityType)) continue;
    const child = { customerId, entityType: type, changeId: cause.id };
    const keys = await repeatedKeysUnder(store, child, parents);
    if (keys.length > 0) children.push({ child, keys, groups: await groupsOf(store, child, keys) });
  }
  return children;
}

function isDecidedBy(child: StoredEntityType, parent: StoredEntityType): boolean {
  const field = Object.entries(referenceColumns).find(([name]) => name === keyRules[child].parent);
  return field?.[1].entityType === parent;
}

/** Moves records as soon as their place on the platform is free in the object that they enter. */
async function moveInTurn(
  store: Store,
  { customerId, cause }: Deciding,
  { entityType }: Scope,
  moves: readonly Move[],
  parts: readonly Part[],
): Promise<void> {
  const taken = new Set(parts.flat().map(({ object, platform }) => `${object} ${platform}`));
  let waiting = moves;
  while (waiting.length > 0) {
    const free = waiting.filter(({ to, platform }) => !taken.has(`${to} ${platform}`));
    if (free.length === 0) throw new Error('Records wait for each other’s places');
    await moveRecords(store, { customerId, entityType, cause }, free);
    for (const { from, platform } of free) taken.delete(`${from} ${platform}`);
    waiting = waiting.filter((move) => !free.includes(move));
  }
}

/** What decisions link with a record goes with it, although its platform does not have it at the moment. */
async function takeAbsentAlong(
  store: Store,
  deciding: Deciding,
  { entityType }: Scope,
  moves: readonly Move[],
  bonds: Bonds,
): Promise<void> {
  const along = moves.flatMap((move) =>
    bonds.unitOf(move).records.map((record) => ({ ...record, from: move.from, to: move.to })),
  );
  await moveAbsent(store, deciding, entityType, along);
}

/** Lets records that their platforms do not have at the moment come back to another object. */
export async function moveAbsent(
  store: Store,
  { customerId, cause }: Deciding,
  entityType: StoredEntityType,
  moves: readonly Move[],
): Promise<void> {
  if (moves.length === 0) return;
  const parameters = [
    customerId,
    entityType,
    moves.map(({ platform }) => platform),
    moves.map(({ platformId }) => platformId),
    moves.map(({ from }) => from),
    moves.map(({ to }) => to),
  ];
  await store.query(keepMoves, [...parameters, cause.at]);
  await store.query(carryOutMoves, parameters);
}

const absent = `unnest($3::text[], $4::text[], $5::text[], $6::text[]) as moved (platform, platform_id, goes, comes)`;
const isMoved = `r.customer_id = $1 and r.entity_type = $2 and r.platform = moved.platform
  and r.platform_id = moved.platform_id and r.canonical_id = moved.goes`;
const keepMoves = keepAbsentMoves('canonical_id', absent, isMoved, '$7');
const carryOutMoves = `update deleted_records r set canonical_id = moved.comes from ${absent} where ${isMoved}`;

async function merge(
  store: Store,
  { customerId, cause }: Deciding,
  { entityType }: Scope,
  { merges }: Rehousing,
): Promise<void> {
  if (merges.length === 0) return;
  const runId = cause.id;
  await store.query(
    `insert into staged_merges (customer_id, run_id, entity_type, goes, stays, round, platforms)
     select $1, $2, $3, merged.goes, merged.stays, 0, '{}' from unnest($4::text[], $5::text[]) as merged (goes, stays)`,
    [customerId, runId, entityType, merges.map(({ goes }) => goes), merges.map(({ stays }) => stays)],
  );
  await mergeObjects(store, { customerId, runId, entityType, cause });
  await store.query('delete from staged_merges where customer_id = $1 and run_id = $2', [customerId, runId]);
}

function rehousedOf(
  { entityType }: Scope,
  parts: readonly Part[],
  { merges }: Rehousing,
  moves: readonly Move[],
): readonly Rehoused[] {
  const merged = new Map(merges.map(({ goes, stays }) => [goes, stays]));
  const entered = new Map(moves.map((move) => [nameOf(move), move.to]));
  return parts.flat().flatMap(({ platform, platformId, object: was }) => {
    const object = entered.get(nameOf({ platform, platformId })) ?? merged.get(was) ?? was;
    return object === was ? [] : [{ entityType, platform, platformId, object, was }];
  });
}
