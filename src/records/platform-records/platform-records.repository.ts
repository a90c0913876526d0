import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { mappingOf, type PlatformName, type StoredEntityType } from '@app/mapper';
import type { Repository } from 'typeorm';
import { PlatformRecordRow } from '../../database/entities/platform-record.entity';
import type { CustomerTransaction } from '../../database/transaction/store';
import type { ChangeCause } from '../changes/change-cause';
import { columnsOf, nativeOrder } from './incoming-record';
import {
  contentColumns,
  fieldKeptIn,
  placementColumns,
  referenceColumns,
  referenceFields,
} from './record-columns';
import { keepVersions } from '../changes/record-versions.repository';
import type { LoadedObject, StoredCopy } from '../loaded-object';

const columns = [
  'platform_id',
  ...contentColumns.filter((name) => name !== 'payload'),
  ...placementColumns.filter((name) => name !== 'canonical_id'),
] as const;

/**
 * Inserts or updates records of an object, and keeps the versions that they replace. Keys and columns follow the data
 * that the canonical object shows: the accepted record while a write is open. A record whose native ID belongs to
 * another object stays unchanged.
 */
export async function saveRecords(
  tx: CustomerTransaction,
  object: Pick<LoadedObject, 'id' | 'entityType'>,
  copies: readonly StoredCopy[],
  cause: ChangeCause,
): Promise<void> {
  if (copies.length === 0) return;
  keepReplaced(tx, object, copies, cause);
  await tx.query(
    `${upsert} where platform_records.canonical_id = excluded.canonical_id`,
    parametersOf(object, copies, cause),
  );
}

/**
 * Like {@link saveRecords}, sent at the latest with the commit. If a native ID belongs to another object, the unit of work
 * fails.
 */
export function saveOwnRecords(
  tx: CustomerTransaction,
  object: Pick<LoadedObject, 'id' | 'entityType'>,
  copies: readonly StoredCopy[],
  cause: ChangeCause,
): void {
  if (copies.length === 0) return;
  keepReplaced(tx, object, copies, cause);
  tx.queryLater(upsertOwn, parametersOf(object, copies, cause));
}

function keepReplaced(
  tx: CustomerTransaction,
  { id }: Pick<LoadedObject, 'id'>,
  copies: readonly StoredCopy[],
  cause: ChangeCause,
): void {
  const platforms = copies.map(({ platform }) => platform);
  // `is true` keeps the list from the index, and so the planner from a plan for each list ({@link listParameter}). A cluster would
  // not send on an insert that selects with a subquery without a table.
  const selection = 'where r.customer_id = $1 and r.canonical_id = $2 and (r.platform = any ($3)) is true';
  keepVersions(tx, selection, { at: '$4', id: '$5' }, [id, platforms, cause.at, cause.id]);
}

const names = columns.join(', ');
// All from `excluded`: of an insert that selects, Citus sends the update without the parameters' types.
const replaced = [...columns, 'payload', 'accepted', 'written_at', 'since', 'changed_by'];
const upsert = `
  insert into platform_records (
    customer_id, canonical_id, entity_type, platform, ${names}, payload, accepted, written_at, since, changed_by)
  select $1, $2, $3, platform, ${names}, payload::json, accepted::json, $5::timestamptz, $5::timestamptz, $6::uuid
  from json_to_recordset($4) as changed(
    platform text, ${columns.map((column) => `${column} text`).join(', ')}, payload text, accepted text)
  on conflict (customer_id, platform, entity_type, platform_id) do update set
    ${replaced.map((column) => `${column} = excluded.${column}`).join(', ')},
    missed = 0, missing_since = null`;
// The column takes no null.
const upsertOwn = `${upsert}, canonical_id =
  case when platform_records.canonical_id = excluded.canonical_id then excluded.canonical_id end`;

function parametersOf(
  { id, entityType }: Pick<LoadedObject, 'id' | 'entityType'>,
  copies: readonly StoredCopy[],
  cause: ChangeCause,
): readonly string[] {
  const rows = JSON.stringify(copies.map((copy) => rowOf(entityType, copy)));
  return [id, entityType, rows, cause.at, cause.id];
}

function rowOf(
  entityType: LoadedObject['entityType'],
  copy: StoredCopy,
): Readonly<Record<string, string | null>> {
  const mapping = mappingOf(copy.platform, entityType, { variant: copy.variant });
  return {
    platform: copy.platform,
    platform_id: copy.platformId,
    native_order: nativeOrder(copy.platformId),
    variant: copy.variant,
    ...columnsOf(entityType, mapping.readOnce(copy.payload, copy)),
    ...Object.fromEntries(
      referenceFields.map((field) => [
        referenceColumns[field].id,
        copy.references[fieldKeptIn(entityType, field)] ?? null,
      ]),
    ),
    payload: copy.payloadText,
    accepted: copy.accepted,
  };
}

/** Whether a row of `platform_records`, as `r`, meets a condition. */
export async function hasRecord(
  tx: CustomerTransaction,
  where: string,
  parameters: readonly unknown[],
): Promise<boolean> {
  const [any] = await tx.query(`select 1 from platform_records r where ${where} limit 1`, parameters);
  return any !== undefined;
}

/** SQL of an update of stored records. Its parameters follow `$1`, the customer. */
export interface RecordUpdate {
  /** Assignments to columns of `platform_records`, which the other parts name `r`. */
  readonly set: readonly string[];
  /** The relation that follows `from`. */
  readonly from?: string;
  readonly where: string;
}

/** Updates the records that a condition of other tables selects. The caller has kept their versions. @returns how many */
export function updateRecords(
  tx: CustomerTransaction,
  { set, from, where }: RecordUpdate,
  parameters: readonly unknown[],
): Promise<number> {
  const relation = from === undefined ? '' : `from ${from}`;
  return tx.execute(`update platform_records r set ${set.join(', ')} ${relation} where ${where}`, parameters);
}

/** Inserts the records that a selection gives. @returns how many */
export function insertSelectedRecords(
  tx: CustomerTransaction,
  into: readonly string[],
  selection: string,
  parameters: readonly unknown[],
): Promise<number> {
  return tx.execute(`insert into platform_records (${into.join(', ')}) ${selection}`, parameters);
}

/** Deletes rows of `platform_records` as `r`. The caller has kept their versions. @returns how many */
export function deleteRecords(
  tx: CustomerTransaction,
  where: string,
  parameters: readonly unknown[],
): Promise<number> {
  return tx.execute(`delete from platform_records r where ${where}`, parameters);
}

/** A number of stored records of one type. */
export interface RecordCount {
  readonly entityType: StoredEntityType;
  readonly count: number;
}

/** The table of stored records, where a service reads single ones, counts them or removes those of a platform. */
@Injectable()
export class PlatformRecordsRepository {
  constructor(@InjectRepository(PlatformRecordRow) private readonly rows: Repository<PlatformRecordRow>) {}

  /** The object that a platform's native ID belongs to; undefined when no record has the ID. */
  async findOwner(
    tx: CustomerTransaction,
    platform: PlatformName,
    entityType: StoredEntityType,
    platformId: string,
  ): Promise<string | undefined> {
    const where = { customerId: tx.customerId, platform, entityType, platformId };
    const record = await this.bound(tx).findOne({ select: { canonicalId: true }, where });
    return record?.canonicalId;
  }

  /** Deletes the records of a platform. @returns how many */
  async deleteOf(tx: CustomerTransaction, platform: PlatformName): Promise<number> {
    const { affected } = await this.bound(tx).delete({ customerId: tx.customerId, platform });
    return affected ?? 0;
  }

  /** The number of records of a platform, by type. */
  count(tx: CustomerTransaction, platform: PlatformName): Promise<RecordCount[]> {
    return this.bound(tx)
      .createQueryBuilder('record')
      .select('record.entityType', 'entityType')
      .addSelect('count(*)::int', 'count')
      .where({ customerId: tx.customerId, platform })
      .groupBy('record.entityType')
      .getRawMany<RecordCount>();
  }

  /** The number of records of all platforms, by type, and whether one of them was written since a time. */
  countWritten(
    tx: CustomerTransaction,
    since: string,
  ): Promise<(RecordCount & { readonly platform: PlatformName; readonly written: boolean | null })[]> {
    return tx.query(
      `select platform, entity_type as "entityType", count(*)::int as count,
         bool_or(written_at >= $2::timestamptz) as written
       from platform_records where customer_id = $1 group by platform, entity_type`,
      [since],
    );
  }

  private bound(tx: CustomerTransaction): Repository<PlatformRecordRow> {
    return tx.store.manager.withRepository(this.rows);
  }
}
