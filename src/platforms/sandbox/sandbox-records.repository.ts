import type { PlatformName, StoredEntityType } from '@app/mapper';
import type { CustomerTransaction } from '../../database/transaction/store';

/** A record of a sandbox that was changed or created there. */
export interface SandboxRow {
  readonly platformId: string;
  readonly variant: string | null;
  /** JSON, with numbers as they were written. */
  readonly payloadText: string;
  /** The command that wrote it last; null for one that came with a migration. */
  readonly commandId: string | null;
}

const columns = `platform_id as "platformId", variant, payload::text as "payloadText", command_id as "commandId"`;
const ofType = 'customer_id = $1 and platform = $2 and entity_type = $3';

/** Those of some records that were changed. */
export function listRecords(
  tx: CustomerTransaction,
  platform: PlatformName,
  entityType: StoredEntityType,
  platformIds: readonly string[],
): Promise<SandboxRow[]> {
  return tx.query<SandboxRow>(
    `select ${columns} from sandbox_records where ${ofType} and platform_id = any($4)`,
    [platform, entityType, platformIds],
  );
}

/** The next records behind a native ID, in the order of these IDs. */
export function recordsAfter(
  tx: CustomerTransaction,
  platform: PlatformName,
  entityType: StoredEntityType,
  after: string,
  limit: number,
): Promise<SandboxRow[]> {
  return tx.query<SandboxRow>(
    `select ${columns} from sandbox_records where ${ofType} and platform_id > $4 order by platform_id limit $5`,
    [platform, entityType, after, limit],
  );
}

/** One record; undefined when it was never changed. */
export async function findRecord(
  tx: CustomerTransaction,
  platform: PlatformName,
  entityType: StoredEntityType,
  platformId: string,
): Promise<SandboxRow | undefined> {
  const [row] = await listRecords(tx, platform, entityType, [platformId]);
  return row;
}

/** The record that a command wrote, as long as no later one has written it. */
export async function findWritten(
  tx: CustomerTransaction,
  platform: PlatformName,
  entityType: StoredEntityType,
  commandId: string,
): Promise<SandboxRow | undefined> {
  const [row] = await tx.query<SandboxRow>(
    `select ${columns} from sandbox_records where ${ofType} and command_id = $4`,
    [platform, entityType, commandId],
  );
  return row;
}

/** The record that a command is for, or that it wrote already; locked until the transaction ends. */
export async function lockRecord(
  tx: CustomerTransaction,
  platform: PlatformName,
  entityType: StoredEntityType,
  platformId: string | null,
  commandId: string,
): Promise<SandboxRow | undefined> {
  const [row] = await tx.query<SandboxRow>(
    `select ${columns} from sandbox_records where ${ofType} and (platform_id = $4 or command_id = $5) for update`,
    [platform, entityType, platformId, commandId],
  );
  return row;
}

/** Those of some records that were changed, on whichever platform; locked until the transaction ends. */
export function lockRecords(
  tx: CustomerTransaction,
  entityType: StoredEntityType,
  wanted: readonly { readonly platform: PlatformName; readonly platformId: string }[],
): Promise<(SandboxRow & { readonly platform: PlatformName })[]> {
  return tx.query(
    `select platform, ${columns} from sandbox_records
     where customer_id = $1 and entity_type = $2 and (platform, platform_id) in (select * from unnest($3::text[], $4::text[]))
     order by platform, platform_id for update`,
    [entityType, wanted.map(({ platform }) => platform), wanted.map(({ platformId }) => platformId)],
  );
}

/** Stores a record as it is after a write, with the commit at the latest. */
export function saveRecord(
  tx: CustomerTransaction,
  platform: PlatformName,
  entityType: StoredEntityType,
  { platformId, variant, payloadText, commandId }: SandboxRow,
): void {
  tx.queryLater(
    `insert into sandbox_records (customer_id, platform, entity_type, platform_id, variant, payload, command_id)
     values ($1, $2, $3, $4, $5, $6, $7)
     on conflict (customer_id, platform, entity_type, platform_id)
     do update set payload = excluded.payload, command_id = excluded.command_id`,
    [platform, entityType, platformId, variant, payloadText, commandId],
  );
}
