import type { PlatformName, StoredEntityType } from '@app/mapper';
import type { ConnectionMode } from '../../platforms/connector';
import type { CustomerTransaction, Store } from '../../database/transaction/store';
import type { CommandStatus, StoredCommand } from '../command/outbox-command';

/** Maximum number of listed commands. */
export const MOST_LISTED = 1_000;

/** A filter of commands. */
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
  readonly checks: number;
  readonly createdAt: Date;
  readonly sentAt: Date | null;
  readonly notBefore: Date;
  readonly decidedAt: Date | null;
  /** Why the change was made, and who decided it, as its request said. */
  readonly changeReason: string | null;
  readonly changeDecidedBy: string | null;
}

/** Commands, oldest first and {@link MOST_LISTED} at most. Reads across customers unless one is named. */
export function findCommands(
  store: Store,
  { id, customerId, status, olderThan }: CommandFilter,
): Promise<CommandState[]> {
  const parameters: unknown[] = [];
  const given = (value: unknown): string => `$${parameters.push(value)}`;
  const conditions = [
    ...(id === undefined ? [] : [`c.id = ${given(id)}`]),
    ...(customerId === undefined ? [] : [`c.customer_id = ${given(customerId)}`]),
    ...(status === undefined ? [] : [`c.status = ${given(status)}`]),
    ...(status === undefined && id === undefined ? [`(c.decided_at is null or c.status = 'held')`] : []),
    ...(olderThan === undefined
      ? []
      : [`c.created_at < now() - ${given(olderThan)} * interval '1 millisecond'`]),
  ];
  return store.query<CommandState>(
    `select c.customer_id as "customerId", c.id, c.propagation_id as "propagationId", c.platform, c.mode,
       c.entity_type as "entityType", c.canonical_id as "canonicalId", c.platform_id as "platformId", c.status,
       coalesce(c.reason, c.put_off) as reason, c.attempts, c.checks, c.created_at as "createdAt",
       c.sent_at as "sentAt", c.not_before as "notBefore", c.decided_at as "decidedAt",
       p.reason as "changeReason", p.decided_by as "changeDecidedBy"
     from outbox_commands c
     left join propagations p on p.customer_id = c.customer_id and p.id = c.propagation_id
     where ${conditions.join(' and ')} order by c.created_at, c.id limit ${MOST_LISTED}`,
    parameters,
  );
}

/**
 * The IDs of the commands of a change that were skipped because an earlier command of it failed. They have the same time
 * of decision as that command; commands that were skipped for other reasons have other times.
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

/**
 * Whether the connection still leads to the records for which a command was accepted. It does not if it was purged, if
 * it leads to another company, which may have other records under the same IDs, or if it changed between sandbox and
 * live.
 */
export async function isOfPresentRecords(
  tx: CustomerTransaction,
  { id }: Pick<StoredCommand, 'id'>,
): Promise<boolean> {
  const present = await tx.query(
    `select 1 from outbox_commands c
     join propagations p on p.customer_id = c.customer_id and p.id = c.propagation_id
     join connections n on n.customer_id = c.customer_id and n.platform = c.platform and n.mode = c.mode
       and n.connected_at <= p.created_at
     where c.customer_id = $1 and p.customer_id = $1 and n.customer_id = $1 and c.id = $2`,
    [id],
  );
  return present.length > 0;
}
