import { randomUUID } from 'node:crypto';
import { inPrecedence, type StoredEntityType } from '@app/mapper';
import { CustomerDeleted } from '../../database/transaction/customer-deleted';
import { lockCustomer } from '../../database/transaction/customer-lock';
import type { CustomerTransaction, Store } from '../../database/transaction/store';
import { ApiError } from '../../common/errors/api-error';
import { databaseTime } from '../../database/transaction/database-time';
import type { ChangeCause } from '../../records/changes/change-cause';
import { noteEvents } from '../../records/events/events.repository';
import { noteObjectEvents } from '../../records/events/object-events.repository';
import { recordChange } from '../../records/changes/changes.repository';
import { MATCHING_VERSION } from '../rule/key-groups.sql';
import { nameOf, type LinkConstraints, type RecordName, type DecisionKind } from '../rule/link-constraints';
import { refuseLink, refuseSplit } from './contradictions';
import { loadConstraints } from '../rule/link-constraints.repository';
import { decisionEvent } from './decision-event';
import type { DecisionsRepository } from './decisions.repository';
import type { StoredDecision } from '../rule/stored-decision';
import { refuseOpenCommands } from './open-commands.repository';
import { rematch, rematchAbsent, together, type ReassignedRecord } from './rematch/rematch';
import { membersOf, objectsOf } from './rematch/matched-records.repository';

/** A person's decision about two records. */
export interface NewDecision {
  readonly decision: DecisionKind;
  readonly entityType: StoredEntityType;
  /** Two records of different platforms. */
  readonly records: readonly RecordName[];
  readonly reason: string;
  readonly decidedBy: string;
}

/** A decision and its immediate effects. */
export interface Decided {
  readonly decision: StoredDecision;
  /** Whether the decision is new; false if it already stood or was already withdrawn. */
  readonly isNew: boolean;
  /** Records that now belong to other objects. */
  readonly reassigned: readonly ReassignedRecord[];
  /** By record: the objects of the two records, if they exist. */
  readonly objects: ReadonlyMap<string, string>;
}

/** Callbacks within the transaction of a decision. */
export interface TransactionHooks {
  /** Called after the customer's lock was taken, before anything is read. */
  begun(store: Store): Promise<void>;
  /** Called after everything was written, before the commit. */
  ended(store: Store, decided: Decided): void;
}

/**
 * Stores a decision and applies it within the caller's transaction. A decision that already stands is returned
 * unchanged.
 *
 * @throws ApiError NOT_FOUND for a record that does not exist; CONFLICT_ERROR when a standing decision contradicts
 *   it, when an object would have two records of one platform, or while commands for the objects are open
 * @param begun called after the customer's lock was taken, before anything is read
 * @throws CustomerDeleted
 */
export async function decide(
  tx: CustomerTransaction,
  decisions: DecisionsRepository,
  wanted: NewDecision,
  begun?: TransactionHooks['begun'],
): Promise<Decided> {
  const cause = await begin(tx, begun);
  const { decision, entityType } = wanted;
  const [one, other] = inPrecedence(wanted.records);
  if (one === undefined || other === undefined) throw new Error('A decision is about two records');
  const objects = await objectsOf(tx, entityType, [one, other]);
  for (const record of wanted.records) {
    if (!objects.has(nameOf(record))) {
      throw new ApiError('NOT_FOUND', `${record.platform} has no ${entityType} ${record.platformId}`);
    }
  }
  const standing = await decisions.findStanding(tx, entityType, [one, other]);
  if (standing?.decision === decision) return { decision: standing, isNew: false, reassigned: [], objects };
  const concerned = [...new Set(objects.values())];
  const members = await membersOf(tx, entityType, concerned);
  const before = await loadConstraints(tx, entityType, members);
  if (decision === 'link') refuseLink(before, [one, other], members, objects);
  else refuseSplit(before, [one, other]);
  const id = randomUUID();
  const { reason, decidedBy } = wanted;
  const made = await decisions.insert(
    tx,
    { id, decision, entityType, records: [one, other], reason, decidedBy },
    cause.at,
  );
  return apply(tx, cause, made, { concerned, before });
}

/**
 * Withdraws a decision and applies the withdrawal within the caller's transaction: records that only a `link` joined
 * are split, and records that only a `not_same` kept apart are linked. A decision that the service withdrew and would make
 * again, see `SourceChanges`, is withdrawn by the person from then on. Another one that was already withdrawn is returned
 * unchanged.
 *
 * @param begun called after the customer's lock was taken, before anything is read
 * @throws ApiError NOT_FOUND without such a decision; CONFLICT_ERROR while commands for the objects are open
 * @throws CustomerDeleted
 */
export async function withdraw(
  tx: CustomerTransaction,
  decisions: DecisionsRepository,
  id: string,
  { reason, decidedBy }: { readonly reason: string; readonly decidedBy: string },
  begun?: TransactionHooks['begun'],
): Promise<Decided> {
  const cause = await begin(tx, begun);
  const decision = await decisions.find(tx, id);
  if (decision === undefined) throw new ApiError('NOT_FOUND', 'No decision has this ID');
  const { entityType, records } = decision;
  const objects = await objectsOf(tx, entityType, records);
  if (decision.withdrawn !== null) {
    const given = await decisions.giveUp(tx, decision, { reason, by: decidedBy, at: cause.at });
    if (given === undefined) {
      const own = decision.isOfFormerRecords ? new Map<string, string>() : objects;
      return { decision, isNew: false, reassigned: [], objects: own };
    }
    return apply(tx, cause, given);
  }
  const concerned = [...new Set(objects.values())];
  const members = await membersOf(tx, entityType, concerned);
  const before = await loadConstraints(tx, entityType, [...members, ...records]);
  const withdrawn = await decisions.withdraw(tx, decision, {
    reason,
    by: decidedBy,
    at: cause.at,
  });
  return apply(tx, cause, withdrawn, { concerned, before });
}

async function begin(tx: CustomerTransaction, begun?: TransactionHooks['begun']): Promise<ChangeCause> {
  if (!(await lockCustomer(tx, 'exclusive'))) throw new CustomerDeleted();
  const [at] = await Promise.all([databaseTime(tx.store), begun?.(tx.store)]);
  return { id: randomUUID(), at };
}

/** @param present the objects of the records, and the constraints until now; undefined if the records are of former sources */
async function apply(
  tx: CustomerTransaction,
  cause: ChangeCause,
  decision: StoredDecision,
  present?: { readonly concerned: readonly string[]; readonly before: LinkConstraints },
): Promise<Decided> {
  const { entityType, records } = decision;
  recordChange(tx, cause, {
    origin: 'decision',
    decisionId: decision.id,
    ruleVersion: MATCHING_VERSION,
  });
  const change = { entityType, cause };
  const rematched =
    present === undefined ? [] : [await rematch(tx, change, present.concerned, present.before)];
  if (decision.decision === 'link' && decision.withdrawn !== null)
    rematched.push(await rematchAbsent(tx, change, records, present === undefined));
  const { records: reassigned, objects, left } = together(rematched);
  await refuseOpenCommands(tx, [...objects], [...left]);
  noteObjectEvents(tx, cause);
  const now = present === undefined ? new Map<string, string>() : await objectsOf(tx, entityType, records);
  noteEvents(tx, cause, [decisionEvent(decision, now)]);
  return { decision, isNew: true, reassigned, objects: now };
}
