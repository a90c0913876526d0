import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { PlatformName, StoredEntityType } from '@app/mapper';
import { Any, MoreThan, type Repository } from 'typeorm';
import { SandboxRecordRow } from '../../database/entities/sandbox-record.entity';
import { listParameter } from '../../database/transaction/list-parameter';
import type { CustomerTransaction } from '../../database/transaction/store';

/** A record of a sandbox that was changed or created there. */
export type SandboxRecord = Readonly<
  Pick<SandboxRecordRow, 'platformId' | 'variant' | 'payloadText' | 'commandId'>
>;

/** The records of one type on one platform. */
export type SandboxRecords = Readonly<Pick<SandboxRecordRow, 'platform' | 'entityType'>>;

/** A record after a write, on its platform. */
export type WrittenRecord = SandboxRecord & SandboxRecords;

const select = { platformId: true, variant: true, payloadText: true, commandId: true } as const;
const columns = `platform_id as "platformId", variant, payload::text as "payloadText", command_id as "commandId"`;

/** The table of the sandboxes' records that differ from the sample portfolios. */
@Injectable()
export class SandboxRecordsRepository {
  constructor(@InjectRepository(SandboxRecordRow) private readonly rows: Repository<SandboxRecordRow>) {}

  /** Those of some records that were changed. */
  list(
    tx: CustomerTransaction,
    { platform, entityType }: SandboxRecords,
    platformIds: readonly string[],
  ): Promise<SandboxRecord[]> {
    const where = { customerId: tx.customerId, platform, entityType, platformId: Any(platformIds) };
    return this.bound(tx).find({ select, where });
  }

  /** The next records behind a native ID, in the order of these IDs. */
  after(
    tx: CustomerTransaction,
    { platform, entityType }: SandboxRecords,
    platformId: string,
    limit: number,
  ): Promise<SandboxRecord[]> {
    return this.bound(tx).find({
      select,
      where: { customerId: tx.customerId, platform, entityType, platformId: MoreThan(platformId) },
      order: { platformId: 'ASC' },
      take: limit,
    });
  }

  /** One record, by its ID or by the command that wrote it last; null when it was never changed. */
  find(
    tx: CustomerTransaction,
    { platform, entityType }: SandboxRecords,
    by: { readonly platformId: string } | { readonly commandId: string },
  ): Promise<SandboxRecord | null> {
    const where = { customerId: tx.customerId, platform, entityType, ...by };
    return this.bound(tx).findOne({ select, where });
  }

  /** The record that a command is for, or that it wrote already; locked until the transaction ends. */
  async lock(
    tx: CustomerTransaction,
    { platform, entityType }: SandboxRecords,
    platformId: string | null,
    commandId: string,
  ): Promise<SandboxRecord | undefined> {
    const [row] = await tx.query<SandboxRecord>(
      `select ${columns} from sandbox_records
       where customer_id = $1 and platform = $2 and entity_type = $3 and (platform_id = $4 or command_id = $5) for update`,
      [platform, entityType, platformId, commandId],
    );
    return row;
  }

  /** Those of some records that were changed, on whichever platform; locked until the transaction ends. */
  lockAll(
    tx: CustomerTransaction,
    entityType: StoredEntityType,
    wanted: readonly { readonly platform: PlatformName; readonly platformId: string }[],
  ): Promise<(SandboxRecord & { readonly platform: PlatformName })[]> {
    return tx.query(
      `select platform, ${columns} from sandbox_records
       where customer_id = $1 and entity_type = $2
         and (platform, platform_id) in (select * from unnest(${listParameter('$3')}, ${listParameter('$4')}))
       order by platform, platform_id for update`,
      [entityType, wanted.map(({ platform }) => platform), wanted.map(({ platformId }) => platformId)],
    );
  }

  /** Stores records as they are after a write, with the commit at the latest. No record stands twice among them. */
  save(tx: CustomerTransaction, records: readonly WrittenRecord[]): void {
    if (records.length === 0) return;
    tx.queryLater(
      `insert into sandbox_records (customer_id, platform, entity_type, platform_id, variant, payload, command_id)
       select $1, platform, entity_type, platform_id, variant, payload::json, command_id
       from json_to_recordset($2) as written(
         platform text, entity_type text, platform_id text, variant text, payload text, command_id uuid)
       on conflict (customer_id, platform, entity_type, platform_id)
       do update set payload = excluded.payload, command_id = excluded.command_id`,
      [
        JSON.stringify(
          records.map(({ platform, entityType, platformId, variant, payloadText, commandId }) => ({
            platform,
            entity_type: entityType,
            platform_id: platformId,
            variant,
            payload: payloadText,
            command_id: commandId,
          })),
        ),
      ],
    );
  }

  private bound(tx: CustomerTransaction): Repository<SandboxRecordRow> {
    return tx.store.manager.withRepository(this.rows);
  }
}
