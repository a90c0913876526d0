import { randomUUID } from 'node:crypto';
import { inPrecedence, type StoredEntityType } from '@app/mapper';
import { lockCustomer } from '../../database/customer-lock';
import type { Store } from '../../database/store';
import { ApiError } from '../../errors/api-error';
import { databaseTime, recordChange } from '../../records/changes';
import { MATCHING_VERSION } from '../groups';
import { ownIds } from '../own-ids';
import { insertObjects } from '../parting';
import { nameOf, type Bond, type Bonds, type RecordName, type Verdict } from './bonds';
import {
  findDecision,
  findStanding,
  insertDecision,
  loadBonds,
  markWithdrawn,
  type StoredDecision,
} from './decisions.repository';
import { refuseOpenCommands } from './open-commands';
import { moveAbsent, rematch, type Deciding, type Rehoused } from './rematch';
import { membersOf, type Placed } from './scope.repository';

/** What a person decides about two records. */
export interface NewDecision {
  readonly decision: Verdict;
  readonly entityType: StoredEntityType;
  /** Two records of different platforms. */
  readonly records: readonly RecordName[];
  readonly reason: string;
  readonly decidedBy: string;
}

/** A decision and what came of it at once. */
export interface Decided {
  readonly decision: StoredDecision;
  /** Whether it was made now; false for one that stood already, or was withdrawn already. */
  readonly isNew: boolean;
  /** Records that belong to other objects since. */
  readonly rehoused: readonly Rehoused[];
  /** The objects of the two records, as far as they are there, by record. */
  readonly objects: ReadonlyMap<string, string>;
}

/** What goes with a decision, in its transaction. */
export interface Alongside {
  /** Asked for behind the customer's lock, before anything is looked at. */
  begun(store: Store): Promise<void>;
  /** Asked for when all of it is written, before the commit. */
  ended(store: Store, decided: Decided): void;
}

/** There is no such customer any more. */
export class CustomerGone extends Error {
  override readonly name = 'CustomerGone';
}

/**
 * Makes a decision and applies it, within the caller's transaction. A decision that stands already is returned as it is.
 *
 * @throws ApiError NOT_FOUND for a record that is not there; CONFLICT_ERROR when a standing decision says otherwise, when an
 *   object would have two records of one platform, or while writes to the objects are open
 * @param begun asked for behind the customer's lock, before anything is looked at
 * @throws CustomerGone
 */
export async function decide(
  store: Store,
  customerId: string,
  wanted: NewDecision,
  begun?: Alongside['begun'],
): Promise<Decided> {
  const deciding = await begin(store, customerId, begun);
  const { decision, entityType } = wanted;
  const [one, other] = inPrecedence(wanted.records);
  if (one === undefined || other === undefined) throw new Error('A decision is about two records');
  const objects = await objectsOf(store, deciding, entityType, [one, other]);
  for (const record of wanted.records) {
    if (!objects.has(nameOf(record))) {
      throw new ApiError('NOT_FOUND', `${record.platform} has no ${entityType} ${record.platformId}`);
    }
  }
  const standing = await findStanding(store, customerId, entityType, [one, other]);
  if (standing?.decision === decision) return { decision: standing, isNew: false, rehoused: [], objects };
  const concerned = [...new Set(objects.values())];
  const scope = { customerId, entityType, changeId: deciding.cause.id };
  const members = await membersOf(store, scope, concerned);
  const before = await loadBonds(store, customerId, entityType, members);
  if (decision === 'link') refuseLink(before, [one, other], members, objects);
  else refuseParting(before, [one, other]);
  const id = randomUUID();
  const { reason, decidedBy } = wanted;
  const made = await insertDecision(
    store,
    customerId,
    { id, decision, entityType, records: [one, other], reason, decidedBy },
    deciding.cause.at,
  );
  return apply(store, deciding, made, concerned, before);
}

/**
 * Withdraws a decision and applies that, within the caller's transaction: what only a `link` joined is parted, and what only
 * a `not_same` kept apart is linked. One that was withdrawn already is returned as it is.
 *
 * @throws ApiError NOT_FOUND without such a decision; CONFLICT_ERROR while writes to the objects are open
 * @throws CustomerGone
 */
export async function withdraw(
  store: Store,
  customerId: string,
  id: string,
  { reason, decidedBy }: { readonly reason: string; readonly decidedBy: string },
): Promise<Decided> {
  const deciding = await begin(store, customerId);
  const decision = await findDecision(store, customerId, id);
  if (decision === undefined) throw new ApiError('NOT_FOUND', 'No decision has this ID');
  const { entityType, records } = decision;
  const objects = await objectsOf(store, deciding, entityType, records);
  if (decision.withdrawn !== null) return { decision, isNew: false, rehoused: [], objects };
  const concerned = [...new Set(objects.values())];
  const scope = { customerId, entityType, changeId: deciding.cause.id };
  const members = await membersOf(store, scope, concerned);
  const before = await loadBonds(store, customerId, entityType, [...members, ...records]);
  const withdrawn = await markWithdrawn(store, customerId, id, {
    reason,
    by: decidedBy,
    at: deciding.cause.at,
  });
  const applied = await apply(store, deciding, withdrawn, concerned, before);
  if (decision.decision === 'link') await partAbsent(store, deciding, decision);
  return applied;
}

async function begin(store: Store, customerId: string, begun?: Alongside['begun']): Promise<Deciding> {
  if (!(await lockCustomer(store, customerId, 'exclusive'))) throw new CustomerGone();
  const [at] = await Promise.all([databaseTime(store), begun?.(store)]);
  return { customerId, cause: { id: randomUUID(), at } };
}

async function apply(
  store: Store,
  deciding: Deciding,
  decision: StoredDecision,
  concerned: readonly string[],
  before: Bonds,
): Promise<Decided> {
  const { customerId, cause } = deciding;
  const { entityType, records } = decision;
  recordChange(store, customerId, cause, {
    origin: 'decision',
    decisionId: decision.id,
    ruleVersion: MATCHING_VERSION,
  });
  const { records: rehoused, objects, left } = await rematch(store, deciding, entityType, concerned, before);
  await refuseOpenCommands(store, customerId, [...objects], [...left]);
  return { decision, isNew: true, rehoused, objects: await objectsOf(store, deciding, entityType, records) };
}

async function objectsOf(
  store: Store,
  { customerId }: Deciding,
  entityType: StoredEntityType,
  records: readonly RecordName[],
): Promise<ReadonlyMap<string, string>> {
  const rows = await store.query<{
    platform: RecordName['platform'];
    platform_id: string;
    canonical_id: string;
  }>(
    `select r.platform, r.platform_id, r.canonical_id
     from unnest($3::text[], $4::text[]) as asked (platform, platform_id)
     join platform_records r on r.customer_id = $1 and r.platform = asked.platform and r.entity_type = $2
       and r.platform_id = asked.platform_id`,
    [
      customerId,
      entityType,
      records.map(({ platform }) => platform),
      records.map(({ platformId }) => platformId),
    ],
  );
  return new Map(
    rows.map(({ platform, platform_id: platformId, canonical_id: id }) => [
      nameOf({ platform, platformId }),
      id,
    ]),
  );
}

function refuseParting(bonds: Bonds, [one, other]: readonly [RecordName, RecordName]): void {
  if (bonds.unitOf(one) !== bonds.unitOf(other)) return;
  const holding = bonds.holding(one, other);
  if (holding !== undefined) throw contradiction(holding);
}

function refuseLink(
  bonds: Bonds,
  [one, other]: readonly [RecordName, RecordName],
  members: readonly Placed[],
  objects: ReadonlyMap<string, string>,
): void {
  const [left, right] = [one, other].map((record) =>
    members
      .filter(({ object }) => object === objects.get(nameOf(record)))
      .flatMap((member) => bonds.unitOf(member).records),
  );
  const together = left !== undefined && right !== undefined ? [left, right] : [[one], [other]];
  for (const mine of together[0] ?? []) {
    for (const theirs of together[1] ?? []) {
      const apart = bonds.between(mine, theirs);
      if (apart !== undefined) throw contradiction(apart);
      if (mine.platform === theirs.platform && mine.platformId !== theirs.platformId) {
        throw new ApiError(
          'CONFLICT_ERROR',
          `One object would have two records of ${mine.platform}: ${mine.platformId} and ${theirs.platformId}. Decide first which of them it is not`,
        );
      }
    }
  }
}

function contradiction({ id, decision, records }: Bond): ApiError {
  const [one, other] = records.map(({ platform, platformId }) => `${platform} ${platformId}`);
  const says = decision === 'link' ? 'are one' : 'are not the same';
  return new ApiError(
    'CONFLICT_ERROR',
    `The standing decision ${id} says that ${one} and ${other} ${says}; withdraw it first`,
  );
}

/**
 * Lets a record that its platform does not have at the moment, and that only the withdrawn decision joined, come back to an
 * object of its own. The rule sees to it when it comes.
 */
async function partAbsent(
  store: Store,
  { customerId, cause }: Deciding,
  { entityType, records }: StoredDecision,
): Promise<void> {
  const rows = await store.query<{
    platform: RecordName['platform'];
    platform_id: string;
    canonical_id: string;
    gone: boolean;
  }>(
    `select all_of.platform, all_of.platform_id, all_of.canonical_id, all_of.gone
     from unnest($3::text[], $4::text[]) as asked (platform, platform_id)
     join (
       select r.platform, r.platform_id, r.canonical_id, false as gone from platform_records r
       where r.customer_id = $1 and r.entity_type = $2
       union all
       select d.platform, d.platform_id, d.canonical_id, true from deleted_records d
       where d.customer_id = $1 and d.entity_type = $2
     ) all_of on all_of.platform = asked.platform and all_of.platform_id = asked.platform_id`,
    [
      customerId,
      entityType,
      records.map(({ platform }) => platform),
      records.map(({ platformId }) => platformId),
    ],
  );
  const gone = inPrecedence(rows).findLast((row) => row.gone);
  if (gone === undefined || rows.length < 2 || rows.some((row) => row.canonical_id !== gone.canonical_id))
    return;
  const bonds = await loadBonds(store, customerId, entityType, [
    { platform: gone.platform, platformId: gone.platform_id },
  ]);
  const unit = bonds.unitOf({ platform: gone.platform, platformId: gone.platform_id });
  const present = await objectsOf(store, { customerId, cause }, entityType, unit.records);
  const [home] = present.values();
  const [own] = await ownIds(store, customerId, entityType, unit.records.slice(0, 1), cause.id);
  const to = home ?? own;
  if (to === undefined || to === gone.canonical_id) return;
  if (home === undefined) await insertObjects(store, customerId, entityType, [to]);
  await moveAbsent(
    store,
    { customerId, cause },
    entityType,
    unit.records.map((record) => ({ ...record, from: gone.canonical_id, to })),
  );
}
