import type { CustomerTransaction } from '../../database/transaction/store';
import { namesThen, objectNow, objectThen } from '../../records/objects/placement-then';
import type { OpenWrites } from './object-detail';
import { objectNamed } from './object-records.repository';

const ofObject = `from outbox_commands c where c.customer_id = $1 and c.canonical_id = ${objectNamed}`;
const present = `
  select coalesce(bool_or(c.decided_at is null), false) as open, coalesce(bool_or(c.status = 'held'), false) as held
  ${ofObject}`;
const earlier = `
  select coalesce(bool_or(c.decided_at is null or c.decided_at > $3::timestamptz), false) as open,
    coalesce(bool_or(c.status = 'held' and c.decided_at <= $3::timestamptz), false) as held
  from outbox_commands c where c.customer_id = $1 and c.canonical_id in (
    select ${objectNow('n.id')} from ${namesThen(objectThen('$2', '$3'), '$3')} n
  ) and c.created_at <= $3::timestamptz
    and ${objectThen('coalesce(c.made_for, c.canonical_id)', '$3')} = ${objectThen('$2', '$3')}`;

/**
 * The undecided writes to an object's records, by its ID or an alias.
 *
 * @param asOf a time: the writes that were undecided then, except held ones that were decided since
 */
export async function openWrites(tx: CustomerTransaction, id: string, asOf?: string): Promise<OpenWrites> {
  const [row] = await (asOf === undefined
    ? tx.query<OpenWrites>(present, [id])
    : tx.query<OpenWrites>(earlier, [id, asOf]));
  return row ?? { open: false, held: false };
}
