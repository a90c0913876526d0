import {
  isJsonObject,
  ownMember,
  sameJson,
  stringifyJson,
  type JsonObject,
  type JsonValue,
  type PlatformName,
  type StoredEntityType,
} from '@app/mapper';
import type { CustomerTransaction } from '../../database/transaction/customer-transaction';
import type { Store } from '../../database/transaction/store';
import type { ChangeCause } from '../../records/changes';
import { keepExtra } from '../../records/record-versions';
import { objectIn } from '../command/stored-object';

/** A change, as it is kept. */
export interface ChangeHistory {
  readonly id: string;
  readonly canonicalId: string;
  readonly entityType: StoredEntityType;
  readonly requestId: string;
  readonly updatedFields: readonly string[];
  /** By platform: status, reason, fields left, conversions. */
  readonly outcome: JsonObject;
  /** When every platform had decided, by the database's clock; undefined where one has not. */
  readonly decidedAt: string | undefined;
  /** What is needed to take the change back, or to say what it has changed; undefined where no command is left over. */
  readonly intent: ChangeIntent | undefined;
  /** What the answer says beside the outcomes. */
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
       decided_at, intent, report)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
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
    ],
  );
}

/** Stores values that no platform's record can show, and keeps those before, with the commit at the latest. */
export function saveExtra(
  tx: CustomerTransaction,
  canonicalId: string,
  extra: JsonObject,
  { at, id }: ChangeCause,
): void {
  tx.queryLater(keepFormer, [canonicalId, at, id]);
  tx.queryLater(
    `update canonical_objects set extra = $3::json, extra_since = $4::timestamptz where customer_id = $1 and id = $2`,
    [canonicalId, stringifyJson(extra), at],
  );
}

const keepFormer = keepExtra('where o.customer_id = $1 and o.id = $2', { at: '$3', id: '$4' });

/** Stores in the history what became of a change on one platform. */
export async function accountFor(
  tx: CustomerTransaction,
  propagationId: string,
  platform: PlatformName,
  outcome: { readonly status: string; readonly reason: string | null; readonly platformId: string | null },
): Promise<void> {
  const [row] = await tx.query<{ outcome: string }>(
    'select outcome::text as outcome from propagations where customer_id = $1 and id = $2',
    [propagationId],
  );
  if (row === undefined) return;
  const whole = objectIn(row.outcome);
  const own = ownMember(whole, platform);
  const { conversion, conversions, left } = isJsonObject(own) ? own : {};
  // What a person must look at may still be applied.
  const written = ['applied', 'pending', 'uncertain', 'held'].includes(outcome.status);
  const now: JsonObject = {
    status: outcome.status,
    ...(outcome.platformId !== null && { platform_id: outcome.platformId }),
    ...(outcome.reason !== null && { reason: outcome.reason }),
    ...(left !== undefined && { left }),
    ...(written && conversion !== undefined && { conversion }),
    ...(written && conversions !== undefined && { conversions }),
  };
  await tx.query('update propagations set outcome = $3 where customer_id = $1 and id = $2', [
    propagationId,
    stringifyJson({ ...whole, [platform]: now }),
  ]);
}

/**
 * Takes back the values beside the records that a change set, or sets them again: each where no later change has
 * given it another value.
 */
export async function swapExtra(
  {
    store,
    customerId,
    cause,
  }: {
    readonly store: Store;
    readonly customerId: string;
    readonly cause: () => Promise<ChangeCause>;
  },
  canonicalId: string,
  propagationId: string,
  way: 'take_back' | 'set_again',
): Promise<void> {
  const [row] = await store.query<{ intent: string | null; extra: string }>(
    `select p.intent::text as intent, o.extra::text as extra from propagations p
     join canonical_objects o on o.customer_id = $1 and o.id = $3
     where p.customer_id = $1 and p.id = $2`,
    [customerId, propagationId, canonicalId],
  );
  if (row === undefined || row.intent === null) return;
  const own = ownMember(objectIn(row.intent), 'extra');
  if (!isJsonObject(own) || !isJsonObject(own.before) || !isJsonObject(own.after)) return;
  const [from, to] = way === 'take_back' ? [own.after, own.before] : [own.before, own.after];
  const extra = objectIn(row.extra);
  const swapped: Record<string, JsonValue> = { ...extra };
  for (const field of new Set([...Object.keys(own.before), ...Object.keys(own.after)])) {
    if (!sameJson(ownMember(extra, field), ownMember(from, field))) continue;
    const value = ownMember(to, field);
    if (value === undefined) delete swapped[field];
    else swapped[field] = value;
  }
  if (sameJson(extra, swapped)) return;
  saveExtra(store.forCustomer(customerId), canonicalId, swapped, await cause());
}

/** Whether every platform has decided on a change. */
export async function isDecided(tx: CustomerTransaction, propagationId: string): Promise<boolean> {
  const [row] = await tx.query(
    'select 1 from propagations where customer_id = $1 and id = $2 and decided_at is not null',
    [propagationId],
  );
  return row !== undefined;
}
