import { keyRules, storedEntityTypes, type StoredEntityType } from '@app/mapper';
import type { CustomerTransaction } from '../../../database/transaction/store';
import { partExtra } from '../../../records/objects/canonical-objects.repository';
import { referenceColumns } from '../../../records/platform-records/record-columns';
import type { Move } from '../../objects/move-records';
import type { ObjectChange } from '../../objects/object-change';
import { partAliases } from '../../objects/part-objects';
import { absentParting, moveAbsentRecords, partAbsentRecords } from './absent-records.repository';
import { arrange, type Member, type ObjectRecords } from './arrange';
import { nameOf, type LinkConstraints, type RecordName } from '../../rule/link-constraints';
import { loadConstraints } from '../../rule/link-constraints.repository';
import type { StoredDecision } from '../../rule/stored-decision';
import { splitObjects, reassign, type Reassignment } from './reassignment';
import { movesWithTargets, merge, moveInTurn } from './apply-reassignment';
import {
  createdAmong,
  firstHolders,
  groupsOf,
  membersOf,
  repeatedKeysUnder,
  type Groups,
  type Placed,
} from './matched-records.repository';

/** A record that has moved to another object. */
export interface ReassignedRecord extends RecordName {
  readonly entityType: StoredEntityType;
  readonly object: string;
  /** The former object. */
  readonly was: string;
}

/** The effects of matching again. */
export interface Rematched {
  readonly records: readonly ReassignedRecord[];
  /** Objects that records left or entered, and objects that were created or merged. */
  readonly objects: ReadonlySet<string>;
  /** Objects that lost records. */
  readonly left: ReadonlySet<string>;
}

/**
 * Matches again the records that a decision concerns, within the caller's transaction, which holds the customer's
 * lock exclusively. These are the records of some objects and all records that share a group with them, and then the
 * records whose parents became other objects, if their keys repeat. The result is the same as that of matching all
 * records.
 *
 * @param objects the objects of the records that the decision names
 * @param before the constraints until now; the function loads the present ones
 */
export async function rematch(
  tx: CustomerTransaction,
  change: ObjectChange,
  objects: readonly string[],
  before: LinkConstraints,
): Promise<Rematched> {
  const { entityType } = change;
  const own = await membersOf(tx, entityType, objects);
  const keys = [...new Set(own.flatMap(({ key }) => (key === null ? [] : [key])))];
  const groups = await groupsOf(tx, entityType, keys, objects);
  const concerned = new Set([...objects, ...[...groups.values()].map(({ record }) => record.object)]);
  const members = await membersOf(tx, entityType, [...concerned]);
  const after = await loadConstraints(tx, entityType, members);
  return rearrange(tx, change, members, {
    groups: { before: groups, after: groups },
    constraints: { before, after },
  });
}

/**
 * Parts the deleted record that a withdrawn decision had linked, and matches again the records that have it as deciding parent,
 * as {@link rematch} does for present records.
 *
 * @param records of the decision
 * @param areElsewhere whether present records with their native IDs are those of other sources
 */
export async function rematchAbsent(
  tx: CustomerTransaction,
  change: ObjectChange,
  records: StoredDecision['records'],
  areElsewhere: boolean,
): Promise<Rematched> {
  const parting = await absentParting(tx, change.entityType, records, areElsewhere);
  if (parting === undefined) return nothing;
  const { from } = parting;
  const children = await childrenOf(tx, change, [from]);
  const comes = await partAbsentRecords(tx, change, parting);
  const own = { records: [], objects: new Set([from, comes]), left: new Set([from]) };
  return together([own, await rematchAll(tx, children)]);
}

/** Matches again the records whose parents are other objects now. */
async function rematchChildren(
  tx: CustomerTransaction,
  change: ObjectChange,
  keys: readonly string[],
  before: Groups,
): Promise<Rematched> {
  const { entityType } = change;
  const after = await groupsOf(tx, entityType, keys);
  const changed = new Set<string>();
  for (const [name, { group }] of before) if (after.get(name)?.group !== group) changed.add(name);
  for (const [name, { group }] of after) if (before.get(name)?.group !== group) changed.add(name);
  if (changed.size === 0) return nothing;
  const touched = new Set([...changed].flatMap((name) => [before.get(name)?.group, after.get(name)?.group]));
  const objects = new Set<string>();
  for (const groups of [before, after])
    for (const { record, group } of groups.values()) if (touched.has(group)) objects.add(record.object);
  const members = await membersOf(tx, entityType, [...objects]);
  const constraints = await loadConstraints(tx, entityType, members);
  return rearrange(tx, change, members, {
    groups: { before, after },
    constraints: { before: constraints, after: constraints },
  });
}

/** Groups by the rule of keys, and constraints by decisions, before and after a change. */
interface Regrouping {
  readonly groups: { readonly before: Groups; readonly after: Groups };
  readonly constraints: { readonly before: LinkConstraints; readonly after: LinkConstraints };
}

async function arranged(
  tx: CustomerTransaction,
  entityType: StoredEntityType,
  placed: readonly Placed[],
  { groups, constraints }: Regrouping,
): Promise<readonly ObjectRecords[]> {
  const created = await createdAmong(tx, entityType, [...new Set(placed.map(({ object }) => object))]);
  const members = placed.map((record): Member => {
    const name = nameOf(record);
    return {
      ...record,
      before: groups.before.get(name)?.group ?? null,
      after: groups.after.get(name)?.group ?? null,
      created: created.has(name),
    };
  });
  return arrange(members, constraints.before, constraints.after);
}

const nothing: Rematched = { records: [], objects: new Set(), left: new Set() };

/** Arranges records anew, writes the result, and continues with the affected child records. */
async function rearrange(
  tx: CustomerTransaction,
  change: ObjectChange,
  placed: readonly Placed[],
  regrouping: Regrouping,
): Promise<Rematched> {
  const arrangement = await arranged(tx, change.entityType, placed, regrouping);
  const holders = await firstHolders(tx, change.entityType, splitObjects(arrangement));
  const reassignment = reassign(arrangement, holders);
  if (reassignment.merges.length === 0 && reassignment.moves.length === 0) return nothing;
  const { moves, aliases } = await movesWithTargets(tx, change, reassignment);
  const left = new Set(moves.map(({ from }) => from));
  const objects = new Set([
    ...reassignment.merges.flatMap(({ goes, stays }) => [goes, stays]),
    ...moves.flatMap(({ from, to }) => [from, to]),
  ]);
  const children = await childrenOf(tx, change, [...objects]);
  await moveInTurn(tx, change, moves, arrangement);
  await partExtra(tx, change.entityType, moves, change.cause);
  await moveAbsentRecords(tx, change, moves, regrouping.constraints.after);
  await partAliases(tx, change, aliases);
  await merge(tx, change, reassignment);
  const own = reassignedRecords(change.entityType, arrangement, reassignment, moves);
  return together([{ records: own, objects, left }, await rematchAll(tx, children)]);
}

/** Several changes of objects as one. */
export function together(all: readonly Rematched[]): Rematched {
  return {
    records: all.flatMap(({ records }) => records),
    objects: new Set(all.flatMap(({ objects }) => [...objects])),
    left: new Set(all.flatMap(({ left }) => [...left])),
  };
}

/** The records of a type below objects that change, with their groups before that. */
interface Children {
  readonly child: ObjectChange;
  readonly keys: readonly string[];
  readonly groups: Groups;
}

async function rematchAll(tx: CustomerTransaction, children: readonly Children[]): Promise<Rematched> {
  const all: Rematched[] = [];
  for (const { child, keys, groups } of children) all.push(await rematchChildren(tx, child, keys, groups));
  return together(all);
}

/** The groups of the child records of some objects, before these objects change. */
async function childrenOf(
  tx: CustomerTransaction,
  { entityType, cause }: ObjectChange,
  parents: readonly string[],
): Promise<readonly Children[]> {
  const children: Children[] = [];
  for (const type of storedEntityTypes) {
    if (!isDecidedBy(type, entityType)) continue;
    const child = { entityType: type, cause };
    const keys = await repeatedKeysUnder(tx, type, parents);
    if (keys.length > 0) children.push({ child, keys, groups: await groupsOf(tx, type, keys) });
  }
  return children;
}

function isDecidedBy(child: StoredEntityType, parent: StoredEntityType): boolean {
  const field = Object.entries(referenceColumns).find(([name]) => name === keyRules[child].parent);
  return field?.[1].entityType === parent;
}

function reassignedRecords(
  entityType: StoredEntityType,
  groups: readonly ObjectRecords[],
  { merges }: Reassignment,
  moves: readonly Move[],
): readonly ReassignedRecord[] {
  const merged = new Map(merges.map(({ goes, stays }) => [goes, stays]));
  const entered = new Map(moves.map((move) => [nameOf(move), move.to]));
  return groups.flat().flatMap(({ platform, platformId, object: was }) => {
    const object = entered.get(nameOf({ platform, platformId })) ?? merged.get(was) ?? was;
    return object === was ? [] : [{ entityType, platform, platformId, object, was }];
  });
}
