import type { PlatformName, StoredEntityType } from '@app/mapper';
import type { CustomerTransaction } from '../../../database/transaction/store';
import type { CommandStatus } from '../outbox-command';
import { goesBefore } from './commands.repository';

/** An open command and the reason why it waits. */
export interface BlockedCommand {
  readonly id: string;
  /** The reason for people; undefined if the command waits only for its turn. */
  readonly reason: string | undefined;
}

type BlockedRow = {
  readonly id: string;
  readonly platform: PlatformName;
  readonly status: CommandStatus;
  readonly put_off: string | null;
  readonly not_before: Date;
  readonly is_put_off: boolean;
  readonly before_platform: PlatformName | null;
  readonly before_type: StoredEntityType | null;
  readonly before_id: string | null;
  readonly before_creates: boolean | null;
  readonly before_is_own_change: boolean | null;
};

/** SQL condition: a command `e` creates the record that a later command `c` changes. */
const comes = `(e.platform_id is null and e.base is null and c.platform_id is null and c.base is not null
  and e.platform = c.platform and e.canonical_id = c.canonical_id)`;

/** The open commands of some changes, each with the reason why it waits. */
export async function blockedCommands(
  tx: CustomerTransaction,
  propagationIds: readonly string[],
): Promise<readonly BlockedCommand[]> {
  const rows = await tx.query<BlockedRow>(
    `select c.id, c.platform, c.status, c.put_off, c.not_before, c.not_before > now() as is_put_off,
       b.platform as before_platform, b.entity_type as before_type, b.canonical_id as before_id,
       b.creates as before_creates, b.is_own_change as before_is_own_change
     from outbox_commands c
     left join lateral (
       select e.platform, e.entity_type, e.canonical_id, coalesce(e.id = any(c.waits_for), false) or ${comes} as creates,
         e.propagation_id = c.propagation_id as is_own_change
       from outbox_commands e where e.customer_id = $1 and ${goesBefore}
       order by coalesce(e.id = any(c.waits_for), false) or ${comes} desc, e.seq limit 1) b on true
     where c.customer_id = $1 and c.propagation_id = any($2) and c.decided_at is null`,
    [propagationIds],
  );
  return rows.map((row) => ({ id: row.id, reason: reasonOf(row) }));
}

function reasonOf(row: BlockedRow): string | undefined {
  if (row.status !== 'waiting') return undefined;
  if (row.before_creates) {
    return `it waits for the ${row.before_type} ${row.before_id} to be created on ${row.platform}`;
  }
  if (row.before_is_own_change) return `it waits until ${row.before_platform} has decided`;
  if (row.before_platform !== null) return `it waits for an earlier change of the record`;
  if (!row.is_put_off || row.put_off === null) return undefined;
  return `deferred until ${row.not_before.toISOString()}: ${row.put_off}`;
}
