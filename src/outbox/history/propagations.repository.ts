import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import {
  isJsonObject,
  ownMember,
  stringifyJson,
  type JsonObject,
  type JsonValue,
  type PlatformName,
  type StoredEntityType,
} from '@app/mapper';
import { Any, IsNull, Not, type Repository } from 'typeorm';
import { PropagationRow } from '../../database/entities/propagation.entity';
import { readableMembers } from '../../database/transaction/json-members';
import {
  customersWithOlderRows,
  type CustomersWithOlderRows,
  type OlderRow,
} from '../../database/transaction/older-rows';
import type { CustomerTransaction, Store } from '../../database/transaction/store';
import { objectIn } from './stored-object';
import { beforeIn } from './change-intent';
import { changeStateOf } from './change-state';

/** A change that is stored for the first time. */
export interface NewPropagation {
  readonly id: string;
  readonly canonicalId: string;
  readonly entityType: StoredEntityType;
  readonly requestId: string;
  /** The time of the change, by the database's clock. Of two changes of an object, the later one has the later time. */
  readonly at: string;
  /** Why the change was made, and who decided it, as the request says. */
  readonly reason: string | undefined;
  readonly decidedBy: string | undefined;
  readonly updatedFields: readonly string[];
  /** By platform: status, reason, fields left, conversions. */
  readonly outcome: JsonObject;
  /** When the last platform had decided, by the database's clock; undefined while one has not. */
  readonly decidedAt: string | undefined;
  /** The data to undo the change, and to compute which fields it changed; undefined if the change has no command. */
  readonly intent: ChangeIntent | undefined;
  /** Members of the response to the change that are not part of the outcomes. */
  readonly report: ChangeReport;
}

/** See {@link NewPropagation.intent}. */
export interface ChangeIntent {
  /** The values that the change set beside the records (see `extraValues`), before and after the change. */
  readonly extra: { readonly before: JsonObject; readonly after: JsonObject };
  /** The canonical fields that the change touched, with their values before; null for none. */
  readonly before: JsonObject;
}

/** See {@link NewPropagation.report}. */
export interface ChangeReport {
  /** The platform whose record a change in native form was made for; null for one in canonical form. */
  readonly origin: PlatformName | null;
  /** Canonical fields that were written with the change itself, by platform. */
  readonly written: Readonly<Partial<Record<PlatformName, readonly string[]>>>;
}

/** A stored change. */
export interface StoredChange extends Pick<
  PropagationRow,
  | 'id'
  | 'canonicalId'
  | 'entityType'
  | 'updatedFields'
  | 'reason'
  | 'decidedBy'
  | 'requestId'
  | 'at'
  | 'state'
> {
  readonly outcome: JsonObject;
  readonly report: JsonObject;
  /** The canonical fields that the change touched, with their values before; undefined once the change is decided. */
  readonly before: JsonObject | undefined;
}

/** A change that {@link PropagationsRepository.markDecided} has just marked as decided. */
export interface DecidedChange {
  readonly canonicalId: string;
  /** By platform, as JSON text. */
  readonly outcome: string;
  /** See {@link NewPropagation.intent}, as JSON text. */
  readonly intent: string | null;
  /** Whether a later change of the object exists. */
  readonly hasLater: boolean;
}

/** The outcome of a change on one platform, once its command has a new status. */
export interface NewOutcome {
  readonly status: string;
  readonly reason: string | null;
  readonly platformId: string | null;
  /** The platform's values before and after the write, from `nativeValuesOf`. */
  readonly values?: JsonObject;
}

/** The table of changes that were accepted. */
@Injectable()
export class PropagationsRepository {
  constructor(@InjectRepository(PropagationRow) private readonly rows: Repository<PropagationRow>) {}

  /** Stores the history of a change, with the commit at the latest. */
  insert(tx: CustomerTransaction, change: NewPropagation): void {
    tx.queryLater(
      `insert into propagations (customer_id, id, canonical_id, entity_type, request_id, updated_fields, outcome,
         decided_at, intent, report, reason, decided_by, state, created_at)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)`,
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
        change.at,
      ],
    );
  }

  async find(tx: CustomerTransaction, id: string): Promise<StoredChange | undefined> {
    return (await this.list(tx, [id]))[0];
  }

  /** Changes by their IDs, in no order. */
  async list(tx: CustomerTransaction, ids: readonly string[]): Promise<readonly StoredChange[]> {
    const rows = await this.bound(tx).find({
      select: {
        id: true,
        canonicalId: true,
        entityType: true,
        updatedFields: true,
        outcomeText: true,
        reportText: true,
        intentText: true,
        decidedAt: true,
        reason: true,
        decidedBy: true,
        requestId: true,
        at: true,
        state: true,
      },
      where: { customerId: tx.customerId, id: Any(ids) },
    });
    return rows.map(({ outcomeText, reportText, intentText, decidedAt, ...row }) => ({
      ...row,
      outcome: objectIn(outcomeText),
      report: reportText === null ? {} : objectIn(reportText),
      before: decidedAt === null && intentText !== null ? beforeIn(intentText) : undefined,
    }));
  }

  /** Whether every platform has decided on a change. */
  async isDecided(tx: CustomerTransaction, id: string): Promise<boolean> {
    const decided = { customerId: tx.customerId, id, decidedAt: Not(IsNull()) };
    return (await this.bound(tx).countBy(decided)) > 0;
  }

  /**
   * Stores the outcome of a change on one platform in its history. The caller stores the command first, because the
   * state of the change is computed from its commands.
   */
  async saveOutcome(
    tx: CustomerTransaction,
    id: string,
    platform: PlatformName,
    outcome: NewOutcome,
  ): Promise<void> {
    const row = await this.bound(tx).findOne({
      select: { id: true, outcomeText: true },
      where: { customerId: tx.customerId, id },
    });
    if (row === null) return;
    const whole = objectIn(row.outcomeText);
    const now = { ...whole, [platform]: outcomeAfter(ownMember(whole, platform), outcome) };
    await tx.query(
      `update propagations p set outcome = $3::json, state = ${stateFrom('$3::json')}
       where p.customer_id = $1 and p.id = $2`,
      [id, stringifyJson(now)],
    );
  }

  /** Marks a change as undecided, because one of its commands is open again. */
  async reopen(tx: CustomerTransaction, id: string): Promise<void> {
    await this.bound(tx).update({ customerId: tx.customerId, id }, { decidedAt: null });
  }

  /**
   * Marks a change as decided if none of its commands is open.
   *
   * @returns undefined if one is open, or if the change was decided before
   */
  async markDecided(tx: CustomerTransaction, id: string): Promise<DecidedChange | undefined> {
    const [row] = await tx.query<DecidedChange>(
      `update propagations p set decided_at = now()
       where p.customer_id = $1 and p.id = $2 and p.decided_at is null and not exists (
         select 1 from outbox_commands where customer_id = $1 and propagation_id = $2 and decided_at is null)
       returning p.canonical_id as "canonicalId", p.outcome::text as outcome, p.intent::text as intent, exists (
         select 1 from propagations l
         where l.customer_id = $1 and l.canonical_id = p.canonical_id and l.created_at > p.created_at) as "hasLater"`,
      [id],
    );
    return row;
  }

  /** Stores which fields of its object a change has changed. */
  async saveUpdatedFields(tx: CustomerTransaction, id: string, fields: readonly string[]): Promise<void> {
    await this.bound(tx).update({ customerId: tx.customerId, id }, { updatedFields: fields });
  }

  /** See {@link NewPropagation.intent}, as JSON text; null as well when the customer has no such change. */
  async findIntent(tx: CustomerTransaction, id: string): Promise<string | null> {
    const row = await this.bound(tx).findOne({
      select: { id: true, intentText: true },
      where: { customerId: tx.customerId, id },
    });
    return row === null ? null : row.intentText;
  }

  /**
   * Deletes changes that were made and decided before a time. A change stays while one of its commands is open, is held
   * or was decided since, and while an idempotency key names it.
   */
  async deleteOld(tx: CustomerTransaction, oldest: Date): Promise<void> {
    await tx.query(
      `delete from propagations p where p.customer_id = $1 and p.created_at < $2 and p.decided_at < $2
         and not exists (
           select 1 from outbox_commands c where c.customer_id = $1 and c.propagation_id = p.id
             and (c.decided_at is null or c.decided_at >= $2 or c.status = 'held'))
         and not exists (select 1 from idempotency_keys k where k.customer_id = $1 and k.subject = p.id::text)`,
      [oldest],
    );
  }

  private bound(tx: CustomerTransaction): Repository<PropagationRow> {
    return tx.store.manager.withRepository(this.rows);
  }
}

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
 * SQL for the state of a change `p`, with the same result as `changeStateOf`. The commands tell whether it is held or
 * open, the stored outcome whether a platform rejected it.
 *
 * @param outcome SQL for the outcome by platform
 */
const stateFrom = (outcome: string): string => `coalesce(
  (select case when bool_or(c.status = 'held') then 'held' when bool_or(c.status = 'uncertain') then 'uncertain'
     when bool_or(c.decided_at is null) then 'pending' end
   from outbox_commands c where c.customer_id = $1 and c.propagation_id = p.id),
  case when exists (select 1 from json_each(${readableMembers(outcome)}) o where o.value ->> 'status' = 'rejected') then 'rejected'
    else 'settled' end)`;

function statusesIn(outcome: JsonObject): readonly string[] {
  return Object.values(outcome).flatMap((one) => {
    const status = isJsonObject(one) ? ownMember(one, 'status') : undefined;
    return typeof status === 'string' ? [status] : [];
  });
}

function outcomeAfter(
  before: JsonValue | undefined,
  { status, reason, platformId, values }: NewOutcome,
): JsonObject {
  const { conversion, conversions, left, created } = isJsonObject(before) ? before : {};
  // A command that waits for a person may still be applied.
  const written = ['applied', 'pending', 'uncertain', 'held'].includes(status);
  return {
    status,
    ...(platformId !== null && { platform_id: platformId }),
    ...(reason !== null && { reason }),
    ...(left !== undefined && { left }),
    ...(created !== undefined && { created }),
    ...(written && conversion !== undefined && { conversion }),
    ...(written && conversions !== undefined && { conversions }),
    ...values,
  };
}
