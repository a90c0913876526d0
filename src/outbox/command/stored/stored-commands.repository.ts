import type { PlatformName } from '@app/mapper';
import type { CustomerTransaction } from '../../../database/transaction/store';
import type { UnitOfWork } from '../../../database/transaction/unit-of-work';
import { commandColumns, commandFrom, type CommandRow } from './command-row';
import { withPresentIds } from './present-references';
import { progressFrom } from '../partial/partial-progress';
import type { CommandOutcome, CommandStatus, StoredCommand } from '../outbox-command';
import type { ConnectionName } from '../../../platforms/connector';

/** Commands from their rows, with the present IDs of the objects that their records refer to. */
async function commandsFrom(
  tx: CustomerTransaction,
  rows: readonly CommandRow[],
): Promise<readonly StoredCommand[]> {
  return withPresentIds(tx, rows.map(commandFrom));
}

/** Commands of a customer by their IDs, in sending order. IDs without a command are left out. */
export async function commandsById(
  tx: CustomerTransaction,
  ids: readonly string[],
): Promise<readonly StoredCommand[]> {
  if (ids.length === 0) return [];
  const rows = await tx.query<CommandRow>(
    `select ${commandColumns} from outbox_commands where customer_id = $1 and id = any($2) order by seq`,
    [ids],
  );
  return commandsFrom(tx, rows);
}

/**
 * The canonical ID of the object that a command is for; undefined when there is no such command. It may have changed
 * since the command was accepted, because objects are merged.
 */
export async function objectOf(tx: CustomerTransaction, id: string): Promise<string | undefined> {
  const [row] = await tx.query<{ canonical_id: string }>(
    'select canonical_id from outbox_commands where customer_id = $1 and id = $2',
    [id],
  );
  return row?.canonical_id;
}

/** A command, locked; undefined when it is decided, or when another instance has claimed it. */
export async function lockOwn(
  tx: CustomerTransaction,
  id: string,
  owner: string,
): Promise<StoredCommand | undefined> {
  const [row] = await tx.query<CommandRow>(
    `select ${commandColumns} from outbox_commands
     where customer_id = $1 and id = $2 and lease_owner = $3 and decided_at is null for update`,
    [id, owner],
  );
  const [command] = await commandsFrom(tx, row === undefined ? [] : [row]);
  return command;
}

/** Open commands of an object, in the order in which they are sent. */
export async function openCommands(
  tx: CustomerTransaction,
  canonicalId: string,
): Promise<readonly StoredCommand[]> {
  const rows = await tx.query<CommandRow>(
    `select ${commandColumns} from outbox_commands
     where customer_id = $1 and canonical_id = $2 and decided_at is null order by seq`,
    [canonicalId],
  );
  return commandsFrom(tx, rows);
}

/**
 * Locks the open commands of an object, before one of its held commands is reopened. It waits for uncommitted claims of
 * the other commands, because a claim of the reopened command must see their leases.
 */
export async function lockOpenCommands(tx: CustomerTransaction, canonicalId: string): Promise<void> {
  await tx.query(
    `select id from outbox_commands
     where customer_id = $1 and canonical_id = $2 and decided_at is null order by seq for update`,
    [canonicalId],
  );
}

/** Open commands of an object that were accepted after a given command. */
export async function openBehind(
  tx: CustomerTransaction,
  { id, canonicalId }: Pick<StoredCommand, 'id' | 'canonicalId'>,
): Promise<readonly StoredCommand[]> {
  const rows = await tx.query<CommandRow>(
    `select ${commandColumns} from outbox_commands c
     where c.customer_id = $1 and c.canonical_id = $2 and c.decided_at is null
       and c.seq > (select e.seq from outbox_commands e where e.customer_id = $1 and e.id = $3)
     order by c.seq`,
    [canonicalId, id],
  );
  return commandsFrom(tx, rows);
}

/** The first open command for a live platform, locked; undefined when none is left. */
export async function firstOpenLive(
  tx: CustomerTransaction,
  platform: PlatformName,
): Promise<StoredCommand | undefined> {
  const [row] = await tx.query<CommandRow>(
    `select ${commandColumns} from outbox_commands
     where customer_id = $1 and platform = $2 and mode = 'live' and decided_at is null order by seq limit 1 for update`,
    [platform],
  );
  const [command] = await commandsFrom(tx, row === undefined ? [] : [row]);
  return command;
}

/** Commands of a change, in the order in which they are sent. */
export async function commandsOf(
  tx: CustomerTransaction,
  propagationId: string,
): Promise<readonly StoredCommand[]> {
  const rows = await tx.query<CommandRow>(
    `select ${commandColumns} from outbox_commands where customer_id = $1 and propagation_id = $2 order by position`,
    [propagationId],
  );
  return commandsFrom(tx, rows);
}

/** The outcomes of the commands of some changes: by change, and within a change in sending order. */
export async function commandOutcomes(
  tx: CustomerTransaction,
  propagationIds: readonly string[],
): Promise<readonly CommandOutcome[]> {
  const rows = await tx.query<{
    id: string;
    propagation_id: string;
    platform: PlatformName;
    platform_id: string | null;
    status: CommandStatus;
    reason: string | null;
    made: string | null;
    is_creation: boolean;
  }>(
    `select id, propagation_id, platform, platform_id, status, reason, made::text as made, base is null as is_creation
     from outbox_commands where customer_id = $1 and propagation_id = any($2) order by propagation_id, position`,
    [propagationIds],
  );
  return rows.map((row) => ({
    id: row.id,
    propagationId: row.propagation_id,
    platform: row.platform,
    platformId: row.platform_id,
    status: row.status,
    reason: row.reason,
    made: progressFrom(row.made),
    isCreation: row.is_creation,
  }));
}

/** The number of open commands for a live platform. */
export async function countOpenLive(tx: CustomerTransaction, { platform }: ConnectionName): Promise<number> {
  const [row] = await tx.query<{ count: number }>(
    `select count(*)::int as count from outbox_commands
     where customer_id = $1 and platform = $2 and mode = 'live' and decided_at is null`,
    [platform],
  );
  return row?.count ?? 0;
}

/** Locks a command. @returns whether an instance has its lease; undefined when there is no such command */
export async function lockCommand(tx: CustomerTransaction, id: string): Promise<boolean | undefined> {
  const [row] = await tx.query<{ is_leased: boolean }>(
    `select lease_until is not null and lease_until > now() as is_leased from outbox_commands
     where customer_id = $1 and id = $2 for update`,
    [id],
  );
  return row?.is_leased;
}

/** The number of open or held commands in a status. */
export interface StatusCount {
  readonly status: string;
  readonly count: number;
  /** The age of the oldest open command in seconds; null if none is open. */
  readonly oldest: number | null;
}

/** Counts open and held commands by status. Reads across customers. */
export function countByStatus(unitOfWork: Pick<UnitOfWork, 'read'>): Promise<StatusCount[]> {
  return unitOfWork.read<StatusCount>(
    `select status, count(*)::int as count,
       (extract(epoch from now() - min(created_at) filter (where decided_at is null)))::float8 as oldest
     from outbox_commands where decided_at is null or status = 'held' group by status`,
    [],
  );
}
