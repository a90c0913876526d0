import type { PlatformName, StoredEntityType } from '@app/mapper';
import type { CustomerTransaction } from '../../database/transaction/store';
import { recordsAt } from '../../records/changes/record-versions.repository';

/** Records that an answer names as ruled out. */
export const MOST_RULED_OUT = 50;

/** A record as answers name it. */
interface NamedRecord {
  readonly platform: PlatformName;
  readonly platform_id: string;
}

/** A record about which a decision stands that it is not the same as a record of an object. */
export interface RuledOut extends NamedRecord {
  /** The record of the object. */
  readonly record: NamedRecord;
  /** The object that the ruled out record belongs to; null while the platform does not have it. */
  readonly canonical_id: string | null;
  readonly decision_id: string;
  readonly reason: string;
  readonly decided_by: string;
  /** When it was decided: ISO 8601, UTC, with milliseconds. */
  readonly at: string;
}

/** What people have ruled out about an object. */
export interface RuledOutRecords {
  /** The latest decisions first, {@link MOST_RULED_OUT} at most. */
  readonly records: readonly RuledOut[];
  readonly total: number;
}

/** For an object without decisions. */
export const noneRuledOut: RuledOutRecords = { records: [], total: 0 };

/** Whether people have ever decided about records of a customer. One cheap look. */
export async function hasDecisions(tx: CustomerTransaction): Promise<boolean> {
  const found = await tx.query('select 1 from reconciliation_decisions where customer_id = $1 limit 1');
  return found.length > 0;
}

/**
 * The records that standing `not_same` decisions keep apart from some records.
 *
 * @param records of one object; those that are gone may be among them
 * @param asOf a time of the database: the decisions that stood then, and the objects of then
 */
export async function ruledOutRecords(
  tx: CustomerTransaction,
  entityType: StoredEntityType,
  records: readonly NamedRecord[],
  asOf?: string,
): Promise<RuledOutRecords> {
  const rows = await tx.query<RuledOutRow>(asOf === undefined ? ruledOutNow : ruledOutThen, [
    entityType,
    records.map(({ platform }) => platform),
    records.map(({ platform_id: id }) => id),
    ...(asOf === undefined ? [] : [asOf]),
  ]);
  return {
    records: rows.map((row) => ({
      record: { platform: row.own_platform, platform_id: row.own_platform_id },
      platform: row.platform,
      platform_id: row.platform_id,
      canonical_id: row.canonical_id,
      decision_id: row.id,
      reason: row.reason,
      decided_by: row.decided_by,
      at: row.decided_at.toISOString(),
    })),
    total: rows[0]?.total ?? 0,
  };
}

interface RuledOutRow extends NamedRecord {
  readonly own_platform: PlatformName;
  readonly own_platform_id: string;
  readonly canonical_id: string | null;
  readonly id: string;
  readonly reason: string;
  readonly decided_by: string;
  readonly decided_at: Date;
  readonly total: number;
}

// A decision names the record of the platform with precedence first, which is the record of either object.
const sides = {
  first: ['platform', 'platform_id'],
  second: ['other_platform', 'other_platform_id'],
} as const;

function ruledOutSql(standing: string, records: string): string {
  const decisionsWith = (own: keyof typeof sides, other: keyof typeof sides) => `
    select d.id, d.reason, d.decided_by, d.decided_at, asked.platform as own_platform, asked.platform_id as own_platform_id,
      d.${sides[other][0]} as platform, d.${sides[other][1]} as platform_id
    from unnest($3::text[], $4::text[]) as asked (platform, platform_id)
    join reconciliation_decisions d on d.customer_id = $1 and d.entity_type = $2
      and d.${sides[own][0]} = asked.platform and d.${sides[own][1]} = asked.platform_id
    where d.decision = 'not_same' and ${standing}`;
  return `
    select latest.*, r.canonical_id from (
      select ruled_out.*, (count(*) over ())::int as total
      from (${decisionsWith('first', 'second')} union all ${decisionsWith('second', 'first')}) ruled_out
      order by ruled_out.decided_at desc, ruled_out.id desc, ruled_out.own_platform limit ${MOST_RULED_OUT}
    ) latest
    left join ${records} r on r.customer_id = $1 and r.platform = latest.platform and r.entity_type = $2
      and r.platform_id = latest.platform_id
    order by latest.decided_at desc, latest.id desc, latest.own_platform`;
}

const ruledOutNow = ruledOutSql('d.withdrawn_at is null', 'platform_records');
const ruledOutThen = ruledOutSql(
  'd.decided_at <= $5::timestamptz and (d.withdrawn_at is null or d.withdrawn_at > $5::timestamptz)',
  recordsAt('$5'),
);
