import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { Repository } from 'typeorm';
import { CanonicalObjectRow } from '../../database/entities/canonical-object.entity';
import type { UnitOfWork } from '../../database/transaction/unit-of-work';
import type { CustomerTransaction } from '../../database/transaction/store';
import { versionColumns } from '../../database/entities/record-columns';
import { copyQuery, type CopyRow } from '../../records/objects/copy-rows';
import { columnsWithin, largeBytes } from '../../records/objects/large-columns';
import { absentPlacement, namesThen, objectThen } from '../../records/objects/placement-then';
import { recordsAt } from '../../records/changes/record-versions.repository';
import { timeText } from '../../database/transaction/time-text';
import { deletedRecords } from '../deleted-records';
import { objectNamedBy } from '../object-named';

/** A record of an object, with the time of its last change and of its deletion. */
export type ObjectRecordRow = CopyRow & {
  readonly since: string;
  /** Null for a present record. */
  readonly gone_at: string | null;
  /** Stored bytes of all records of the object. */
  readonly bytes: string;
};

/** A record without its large columns, for an object whose records do not all fit. */
type LeftRecordRow = Omit<ObjectRecordRow, 'payload'> & { readonly payload: null };

/** Whether all records were read. */
export function fits(rows: readonly (ObjectRecordRow | LeftRecordRow)[]): rows is readonly ObjectRecordRow[] {
  return rows.every((row) => row.payload !== null);
}

// Either all records fit, or all large columns are left out.
function within(room: string, records: string): string {
  const columns = columnsWithin([...now.names, 'since', 'gone_at'], `bytes <= ${room}`);
  return `
    select ${columns}, bytes from (
      select found.*, sum(${largeBytes('found')}) over () as bytes
      from (${records}) found
    ) measured`;
}

/** SQL for the object that `$2` names now. */
export const objectNamed = objectNamedBy('$2');

const now = copyQuery();
const presentRecords = within(
  '$3',
  `
  select ${now.columns}, ${timeText('r.since')} as since, null as gone_at
  from platform_records r ${now.joins} where r.customer_id = $1 and r.canonical_id = ${objectNamed}
  union all
  select ${now.columns}, ${timeText('coalesce(last.since, r.deleted_at)')}, r.gone_at
  from ${deletedRecords} r ${now.joins}
  left join lateral (
    select max(v.since) as since from record_versions v
    where v.customer_id = $1 and v.platform = r.platform and v.entity_type = r.entity_type and v.platform_id = r.platform_id
  ) last on true
  where r.canonical_id = ${objectNamed} and not exists (
    select 1 from platform_records p
    where p.customer_id = $1 and p.platform = r.platform and p.entity_type = r.entity_type and p.platform_id = r.platform_id)`,
);

// A version that had ended by then without a successor at that time belongs to a deleted record. It is shown with its
// object of that time.
const then = copyQuery(undefined, '$3');
const goneColumns = versionColumns.map(({ name, role }) =>
  role === 'placement' ? `${absentPlacement('v', name, '$3')} as ${name}` : `v.${name}`,
);
const earlierRecords = within(
  '$4',
  `
  with object (id) as materialized (select ${objectThen('$2', '$3')}),
  names (id) as materialized (select n.id from ${namesThen('(select id from object)', '$3')} n),
  candidates as materialized (
    select v.platform, v.entity_type, v.platform_id from record_versions v
    where v.customer_id = $1 and v.canonical_id in (select id from names) and v.until <= $3::timestamptz
    union
    select m.platform, m.entity_type, m.platform_id from absent_moves m
    where m.customer_id = $1 and m.canonical_id in (select id from names) and m.placement = 'canonical_id'
      and m.at <= $3::timestamptz
  ),
  gone as materialized (
    select ${goneColumns.join(', ')}, v.until
    from candidates c cross join lateral (
      select l.* from record_versions l
      where l.customer_id = $1 and l.platform = c.platform and l.entity_type = c.entity_type
        and l.platform_id = c.platform_id and l.until <= $3::timestamptz
      order by l.until desc limit 1
    ) v
    where not exists (
      select from ${recordsAt('$3')} n
      where n.platform = c.platform and n.entity_type = c.entity_type and n.platform_id = c.platform_id)
  )
  select ${then.columns}, ${timeText('r.since')} as since, null as gone_at
  from ${recordsAt('$3')} r ${then.joins} where r.canonical_id = (select id from object)
  union all
  select ${then.columns}, ${timeText('r.since')}, ${timeText('r.until')}
  from gone r ${then.joins} where r.canonical_id = (select id from object)`,
);

/** Objects by an ID or an alias, with their records. */
@Injectable()
export class ObjectRecordsRepository {
  constructor(
    @InjectRepository(CanonicalObjectRow) private readonly objects: Repository<CanonicalObjectRow>,
  ) {}

  /** The object of an ID or an alias, in one round trip; undefined if there is none. */
  async find(
    unitOfWork: Pick<UnitOfWork, 'read'>,
    customerId: string,
    id: string,
    signal: AbortSignal,
  ): Promise<string | undefined> {
    const [sql, parameters] = this.objects
      .createQueryBuilder('object')
      .select('object.id', 'id')
      .where('object.customerId = :customerId', { customerId })
      .andWhere(`object.id = ${objectNamedBy(':id', ':customerId')}`, { id })
      .getQueryAndParameters();
    const [row] = await unitOfWork.read<{ id: string }>(sql, parameters, { customerId, signal });
    return row?.id;
  }

  /**
   * The records of an object by its ID or an alias, including deleted ones; none if the object does not exist.
   *
   * @param room maximum bytes of stored text to read; above it only the number of bytes is returned
   * @param asOf a time: the records at that time, of the object that the ID named then
   */
  records(
    tx: CustomerTransaction,
    id: string,
    room: number,
    asOf?: string,
  ): Promise<readonly (ObjectRecordRow | LeftRecordRow)[]> {
    return asOf === undefined
      ? tx.query(presentRecords, [id, room])
      : tx.query(earlierRecords, [id, asOf, room]);
  }
}
