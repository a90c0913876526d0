import {
  isJsonArray,
  isJsonObject,
  ownMember,
  parseJsonText,
  stringifyJson,
  type JsonObject,
  type PlatformName,
  type StoredEntityType,
} from '@app/mapper';
import {
  customersWithOlderRows,
  type CustomersWithOlderRows,
  type OlderRow,
} from '../../database/transaction/older-rows';
import type { CustomerTransaction, Store } from '../../database/transaction/store';
import { timeText } from '../../database/transaction/time-text';
import { objectIn } from '../command/stored-json';
import { beforeIn } from './change-intent';
import { changeStateOf, type ChangeState } from './change-state';

/** A change, as it is kept. */
export interface ChangeHistory {
  readonly id: string;
  readonly canonicalId: string;
  readonly entityType: StoredEntityType;
  readonly requestId: string;
  /** Why the change was made, and who decided it, as the request says. */
  readonly reason: string | undefined;
  readonly decidedBy: string | undefined;
  readonly updatedFields: readonly string[];
  /** By platform: status, reason, fields left, conversions. */
  readonly outcome: JsonObject;
  /** When the last platform had decided, by the database's clock; undefined while one has not. */
  readonly decidedAt: string | undefined;
  /** What the service needs to undo the change, or to tell what it changed; undefined if no command is open. */
  readonly intent: ChangeIntent | undefined;
  /** The members of the response beside the outcomes. */
  readonly report: ChangeReport;
}

/** See {@link ChangeHistory.intent}. */
export interface ChangeIntent {
  /** Values beside the records before and after, as far as the change set them. */
  readonly extra: { readonly before: JsonObject; readonly after: JsonObject };
  /** The canonical fields that the change touched, with their values before; null for none. */
  readonly before: JsonObject;
}

/** See {@link ChangeHistory.report}. */
export interface ChangeReport {
  /** The platform whose record a change in native form was made for; null for one in canonical form. */
  readonly origin: PlatformName | null;
  /** Canonical fields that were written with the change itself, by platform. */
  readonly written: Readonly<Partial<Record<PlatformName, readonly string[]>>>;
}

/** Stores the history of a change, with the commit at the latest. */
export function insertHistory(tx: CustomerTransaction, change: ChangeHistory): void {
  tx.queryLater(
    `insert into propagations (customer_id, id, canonical_id, entity_type, request_id, updated_fields, outcome,
       decided_at, intent, report, reason, decided_by, state)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)`,
    [
      change.id,
      change.canonicalId,
      change.entityType,
      change.requestId,
      JSON.stringify(change.updatedFields),
      stringifyJson(change.outcome),
      change.decidedAt ?? null,
      change.intent === undefined ? null : stringifyJson(change.intent),
      JSON.stringify(change.report),
      change.reason ?? null,
      change.decidedBy ?? null,
      changeStateOf(statusesIn(change.outcome)),
    ],
  );
}

function statusesIn(outcome: JsonObject): readonly string[] {
  return Object.values(outcome).flatMap((one) => {
    const status = isJsonObject(one) ? ownMember(one, 'status') : undefined;
    return typeof status === 'string' ? [status] : [];
  });
}

/**
 * SQL for the state of a change `p`, as `changeStateOf` says: commands say what is held or open, the outcome says what was
 * rejected.
 *
 * @param outcome SQL for the outcome by platform
 */
const stateFrom = (outcome: string): string => `coalesce(
  (select case when bool_or(c.status = 'held') then 'held' when bool_or(c.status = 'uncertain') then 'uncertain'
     when bool_or(c.decided_at is null) then 'pending' end
   from outbox_commands c where c.customer_id = $1 and c.propagation_id = p.id),
  case when exists (select 1 from json_each(${outcome}) o where o.value ->> 'status' = 'rejected') then 'rejected'
    else 'settled' end)`;

/** Updates the states of changes after some of their commands changed their state without an outcome. */
export async function refreshStates(
  tx: CustomerTransaction,
  propagationIds: readonly string[],
): Promise<void> {
  if (propagationIds.length === 0) return;
  await tx.query(
    `update propagations q set state = now_in.state
     from (select p.id, ${stateFrom('p.outcome')} as state from propagations p
           where p.customer_id = $1 and p.id = any($2)) now_in
     where q.customer_id = $1 and q.id = now_in.id and q.state <> now_in.state`,
    [propagationIds],
  );
}

/** Stores the outcome of a change on one platform in its history. The caller has stored the command before. */
export async function accountFor(
  tx: CustomerTransaction,
  propagationId: string,
  platform: PlatformName,
  outcome: {
    readonly status: string;
    readonly reason: string | null;
    readonly platformId: string | null;
    /** The platform's values before and now, from `nativeValuesOf`. */
    readonly values?: JsonObject;
  },
): Promise<void> {
  const [row] = await tx.query<{ outcome: string }>(
    'select outcome::text as outcome from propagations where customer_id = $1 and id = $2',
    [propagationId],
  );
  if (row === undefined) return;
  const whole = objectIn(row.outcome);
  const own = ownMember(whole, platform);
  const { conversion, conversions, left, created } = isJsonObject(own) ? own : {};
  // A command that waits for a person may still be applied.
  const written = ['applied', 'pending', 'uncertain', 'held'].includes(outcome.status);
  const now: JsonObject = {
    status: outcome.status,
    ...(outcome.platformId !== null && { platform_id: outcome.platformId }),
    ...(outcome.reason !== null && { reason: outcome.reason }),
    ...(left !== undefined && { left }),
    ...(created !== undefined && { created }),
    ...(written && conversion !== undefined && { conversion }),
    ...(written && conversions !== undefined && { conversions }),
    ...outcome.values,
  };
  await tx.query(
    `update propagations p set outcome = $3::json, state = ${stateFrom('$3::json')}
     where p.customer_id = $1 and p.id = $2`,
    [propagationId, stringifyJson({ ...whole, [platform]: now })],
  );
}

/** Whether every platform has decided on a change. */
export async function isDecided(tx: CustomerTransaction, propagationId: string): Promise<boolean> {
  const decided = await tx.query(
    'select 1 from propagations where customer_id = $1 and id = $2 and decided_at is not null',
    [propagationId],
  );
  return decided.length > 0;
}

/** Marks a change as undecided, because one of its commands is open again. */
export async function reopenChange(tx: CustomerTransaction, propagationId: string): Promise<void> {
  await tx.query('update propagations set decided_at = null where customer_id = $1 and id = $2', [
    propagationId,
  ]);
}

/** A change that {@link markDecided} has just marked as decided. */
export interface DecidedChange {
  readonly canonicalId: string;
  /** By platform, as JSON text. */
  readonly outcome: string;
  /** See {@link ChangeHistory.intent}, as JSON text. */
  readonly intent: string | null;
  /** Whether a later change of the object exists. */
  readonly hasLater: boolean;
}

/** Marks a change as decided when none of its commands is open; undefined when one is, or when it was decided before. */
export async function markDecided(
  tx: CustomerTransaction,
  propagationId: string,
): Promise<DecidedChange | undefined> {
  const [row] = await tx.query<DecidedChange>(
    `update propagations p set decided_at = now()
     where p.customer_id = $1 and p.id = $2 and p.decided_at is null and not exists (
       select 1 from outbox_commands where customer_id = $1 and propagation_id = $2 and decided_at is null)
     returning p.canonical_id as "canonicalId", p.outcome::text as outcome, p.intent::text as intent, exists (
       select 1 from propagations l
       where l.customer_id = $1 and l.canonical_id = p.canonical_id and l.created_at > p.created_at) as "hasLater"`,
    [propagationId],
  );
  return row;
}

/** Stores which fields of its object a change has changed. */
export async function saveUpdatedFields(
  tx: CustomerTransaction,
  propagationId: string,
  fields: readonly string[],
): Promise<void> {
  await tx.query(`update propagations set updated_fields = $3 where customer_id = $1 and id = $2`, [
    propagationId,
    JSON.stringify(fields),
  ]);
}

/** What a change set beside the records, and the object's values beside the records now; both as JSON text. */
export async function extraOfChange(
  tx: CustomerTransaction,
  propagationId: string,
  canonicalId: string,
): Promise<{ readonly intent: string | null; readonly extra: string } | undefined> {
  const [row] = await tx.query<{ intent: string | null; extra: string }>(
    `select p.intent::text as intent, o.extra::text as extra from propagations p
     join canonical_objects o on o.customer_id = $1 and o.id = $3
     where p.customer_id = $1 and p.id = $2`,
    [propagationId, canonicalId],
  );
  return row;
}

/** A page of customers with changes that were made and decided before a time. Reads across customers. */
export function customersWithOldChanges(
  store: Store,
  oldest: Date,
  after?: OlderRow,
): Promise<CustomersWithOlderRows> {
  const made = { table: 'propagations', time: 'created_at', condition: 'r.decided_at < $1' };
  return customersWithOlderRows(store, made, oldest, after);
}

/**
 * Deletes changes that were made and decided before a time. A change stays while one of its commands is open, is held or was
 * decided since, and while an Idempotency-Key names it.
 */
export async function deleteOldChanges(tx: CustomerTransaction, oldest: Date): Promise<void> {
  await tx.query(
    `delete from propagations p where p.customer_id = $1 and p.created_at < $2 and p.decided_at < $2
       and not exists (
         select 1 from outbox_commands c where c.customer_id = $1 and c.propagation_id = p.id
           and (c.decided_at is null or c.decided_at >= $2 or c.status = 'held'))
       and not exists (select 1 from idempotency_keys k where k.customer_id = $1 and k.subject = p.id::text)`,
    [oldest],
  );
}

/** A change as it is kept. */
export interface KeptChange {
  readonly id: string;
  readonly canonicalId: string;
  readonly entityType: StoredEntityType;
  readonly updatedFields: readonly string[];
  readonly outcome: JsonObject;
  readonly report: JsonObject;
  readonly reason: string | null;
  readonly decidedBy: string | null;
  readonly requestId: string;
  /** When it was accepted, with microseconds. */
  readonly at: string;
  readonly state: ChangeState;
  /** The fields it touched with their values before, as long as it is not decided. */
  readonly before: JsonObject | undefined;
}

export async function findChange(tx: CustomerTransaction, id: string): Promise<KeptChange | undefined> {
  return (await keptChanges(tx, [id]))[0];
}

/** Changes by their IDs, in no order. */
export async function keptChanges(
  tx: CustomerTransaction,
  ids: readonly string[],
): Promise<readonly KeptChange[]> {
  const rows = await tx.query<{
    id: string;
    canonical_id: string;
    entity_type: StoredEntityType;
    updated_fields: string;
    outcome: string;
    report: string | null;
    intent: string | null;
    is_open: boolean;
    reason: string | null;
    decided_by: string | null;
    request_id: string;
    at: string;
    state: ChangeState;
  }>(
    `select id, canonical_id, entity_type, updated_fields::text as updated_fields, outcome::text as outcome,
       report::text as report, intent::text as intent, decided_at is null as is_open, reason, decided_by,
       request_id, ${timeText('created_at')} as at, state
     from propagations where customer_id = $1 and id = any($2)`,
    [ids],
  );
  return rows.map((row) => {
    const fields = parseJsonText(row.updated_fields);
    return {
      id: row.id,
      canonicalId: row.canonical_id,
      entityType: row.entity_type,
      updatedFields: isJsonArray(fields) ? fields.map(String) : [],
      outcome: objectIn(row.outcome),
      report: row.report === null ? {} : objectIn(row.report),
      reason: row.reason,
      decidedBy: row.decided_by,
      requestId: row.request_id,
      at: row.at,
      state: row.state,
      before: row.is_open && row.intent !== null ? beforeIn(row.intent) : undefined,
    };
  });
}
