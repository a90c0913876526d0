import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { normaliseKey, type NativeReference, type PlatformName, type StoredEntityType } from '@app/mapper';
import type { Repository } from 'typeorm';
import { PlatformRecordRow } from '../../database/entities/platform-record.entity';
import type { CustomerTransaction } from '../../database/transaction/store';
import { refText } from '../../records/platform-records/incoming-record';

/** Finds the objects that a change names. */
@Injectable()
export class LookupsRepository {
  constructor(@InjectRepository(PlatformRecordRow) private readonly rows: Repository<PlatformRecordRow>) {}

  /** The canonical IDs of a platform's references; undefined for a reference that matches no object or several. */
  async findReferred(
    tx: CustomerTransaction,
    platform: PlatformName,
    references: readonly NativeReference[],
  ): Promise<readonly (string | undefined)[]> {
    if (references.length === 0) return [];
    const wanted = references.map((reference, place) => ({
      place,
      entity_type: reference.refersTo,
      platform_id: reference.by === 'id' ? reference.value : null,
      business_key: reference.by === 'key' ? (refText(reference)?.slice('key:'.length) ?? null) : null,
    }));
    const rows = await tx.query<{ place: number; canonical_id: string }>(
      `select wanted.place, min(r.canonical_id) as canonical_id
       from json_to_recordset($3) as wanted(place int, entity_type text, platform_id text, business_key text)
       join platform_records r on r.customer_id = $1 and r.platform = $2 and r.entity_type = wanted.entity_type
         and (r.platform_id = wanted.platform_id or r.business_key = wanted.business_key)
       group by wanted.place having count(*) = 1`,
      [platform, JSON.stringify(wanted)],
    );
    return references.map((_, place) => rows.find((row) => row.place === place)?.canonical_id);
  }

  /** The only invoice of a customer with a given number, on any platform; undefined if there are none or several. */
  async findInvoice(tx: CustomerTransaction, number: string): Promise<string | undefined> {
    const key = normaliseKey(number);
    if (key === undefined) return undefined;
    const rows = await tx.store.manager
      .withRepository(this.rows)
      .createQueryBuilder('record')
      .select('record.canonicalId', 'id')
      .distinct()
      .where({ customerId: tx.customerId, entityType: 'invoice', businessKey: key })
      .limit(2)
      .getRawMany<{ id: string }>();
    return rows.length === 1 ? rows[0]?.id : undefined;
  }

  /**
   * The platforms on which another object of the type already has a key, or gets it with a record that is still to be created, or
   * of which a person must look whether it was. Changes to the same key first wait for each other, so that two of them cannot both
   * find it free.
   */
  async keyTakenOn(
    tx: CustomerTransaction,
    entityType: StoredEntityType,
    key: string,
    exceptId: string,
    platforms: readonly PlatformName[],
  ): Promise<ReadonlySet<PlatformName>> {
    await tx.store.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [
      `${tx.customerId} ${entityType} ${key}`,
    ]);
    const rows = await tx.query<{ platform: PlatformName }>(
      `with named as materialized (
         select platform, canonical_id from platform_records
         where customer_id = $1 and platform = any($2) and entity_type = $3 and business_key = $4 and canonical_id <> $5)
       select platform from named
       union
       select c.platform from named n
       join outbox_commands c on c.customer_id = $1 and c.canonical_id = n.canonical_id and c.platform = any($2)
       where c.platform_id is null and c.base is null and (c.decided_at is null or c.status = 'held')`,
      [platforms, entityType, key, exceptId],
    );
    return new Set(rows.map(({ platform }) => platform));
  }

  /** The objects of canonical IDs or their aliases, by the requested ID. */
  async findCanonical(
    tx: CustomerTransaction,
    ids: readonly string[],
  ): Promise<ReadonlyMap<string, { readonly id: string; readonly entityType: StoredEntityType }>> {
    if (ids.length === 0) return new Map();
    const rows = await tx.query<{ requested: string; id: string; entity_type: StoredEntityType }>(
      `select requested.id as requested, o.id, o.entity_type
       from unnest($2::text[]) as requested(id)
       left join canonical_aliases a on a.customer_id = $1 and a.alias_id = requested.id
       join canonical_objects o on o.customer_id = $1 and o.id = coalesce(a.canonical_id, requested.id)`,
      [ids],
    );
    return new Map(
      rows.map(({ requested, id, entity_type }) => [requested, { id, entityType: entity_type }]),
    );
  }
}
