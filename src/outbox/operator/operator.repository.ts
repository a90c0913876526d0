import type { PlatformName, StoredEntityType } from '@app/mapper';
import type { ConnectionMode } from '../../platforms/connector';
import type { CustomerTransaction } from '../../database/transaction/customer-transaction';
import type { Store } from '../../database/transaction/store';
import { databaseTime } from '../../records/changes';
import { SEND_LIMIT_MS, sendingEnded } from '../dispatch/claims.repository';
import { madeText, type MadeParts } from '../command/made-parts';
import type { CommandStatus, StoredCommand } from '../command/outbox-command';

/** Commands that are listed at most. */
export const MOST_LISTED = 1_000;

/** Which commands are wanted. */
export interface CommandFilter {
  readonly id?: string;
  readonly customerId?: string;
  /** Absent, and without an ID: those that are open or held. */
  readonly status?: CommandStatus;
  /** Milliseconds since the change was accepted. */
  readonly olderThan?: number;
}

/** A command as operators see it in a list. */
export interface CommandState {
  readonly customerId: string;
  readonly id: string;
  readonly propagationId: string;
  readonly platform: PlatformName;
  readonly mode: ConnectionMode;
  readonly entityType: StoredEntityType;
  readonly canonicalId: string;
  readonly platformId: string | null;
  readonly status: CommandStatus;
  readonly reason: string | null;
  readonly attempts: number;
  readonly looks: number;
  readonly createdAt: Date;
  readonly sentAt: Date | null;
  readonly notBefore: Date;
  readonly decidedAt: Date | null;
}

/** Commands, oldest first and {@link MOST_LISTED} at most. Reads across customers unless one is named. */
export function findCommands(
  store: Store,
  { id, customerId, status, olderThan }: CommandFilter,
): Promise<CommandState[]> {
  const parameters: unknown[] = [];
  const given = (value: unknown): string => `$${parameters.push(value)}`;
  const conditions = [
    ...(id === undefined ? [] : [`id = ${given(id)}`]),
    ...(customerId === undefined ? [] : [`customer_id = ${given(customerId)}`]),
    ...(status === undefined ? [] : [`status = ${given(status)}`]),
    ...(status === undefined && id === undefined ? [`(decided_at is null or status = 'held')`] : []),
    ...(olderThan === undefined
      ? []
      : [`created_at < now() - ${given(olderThan)} * interval '1 millisecond'`]),
  ];
  return store.query<CommandState>(
    `select customer_id as "customerId", id, propagation_id as "propagationId", platform, mode,
       entity_type as "entityType", canonical_id as "canonicalId", platform_id as "platformId", status,
       coalesce(reason, put_off) as reason, attempts, looks, created_at as "createdAt", sent_at as "sentAt",
       not_before as "notBefore", decided_at as "decidedAt"
     from outbox_commands where ${conditions.join(' and ')} order by created_at, id limit ${MOST_LISTED}`,
    parameters,
  );
}

/**
 * Opens a command again: to be sent, or to be looked for first. It is due at once.
 *
 * @param isAnew whether it is sent as if it never had been
 */
export async function reopen(
  tx: CustomerTransaction,
  id: string,
  status: 'waiting' | 'uncertain',
  { made, isAnew }: { readonly made: MadeParts; readonly isAnew: boolean },
): Promise<void> {
  const now = await databaseTime(tx.store);
  await tx.query(
    `update outbox_commands set status = $3, decided_at = null, not_before = now(), put_off = null, attempts = 0,
       looks = 0, reason = case when status = 'held' then null else reason end, lease_owner = null, lease_until = null,
       made = $4, notes = case when $5 then null else notes end,
       given_up_at = case when $5 then null
         when status = 'sending' then ${sendingEnded('$6', '$7')} else given_up_at end
     where customer_id = $1 and id = $2`,
    [id, status, madeText(made), isAnew, now, SEND_LIMIT_MS],
  );
}

/** A change is not decided any more: one of its commands is open again. */
export async function reopenChange(tx: CustomerTransaction, propagationId: string): Promise<void> {
  await tx.query('update propagations set decided_at = null where customer_id = $1 and id = $2', [
    propagationId,
  ]);
}

/**
 * The commands of a change that were skipped at the moment in which the one before them was given up, since its platform did
 * not take the change: not those that were skipped at another time, for another reason.
 */
export async function skippedWith(
  tx: CustomerTransaction,
  { id, propagationId, position }: StoredCommand,
): Promise<readonly string[]> {
  const rows = await tx.query<{ id: string }>(
    `select f.id from outbox_commands f join outbox_commands l on l.customer_id = f.customer_id and l.decided_at = f.decided_at
     where f.customer_id = $1 and l.customer_id = $1 and l.id = $2 and f.propagation_id = $3 and f.position > $4
       and f.status = 'skipped'
     order by f.position`,
    [id, propagationId, position],
  );
  return rows.map((row) => row.id);
}
