import type { Store } from '../../../database/store';
import type { ConnectionName } from '../../connector';
import type { GateState } from './gate-state';

/** A gate, locked until the end of the transaction. */
export interface LockedGate {
  /** Undefined for one that is new. */
  readonly state: GateState | undefined;
  /** The database's clock, in milliseconds of Unix time. */
  readonly clock: number;
}

const find = `
  select state, (extract(epoch from clock_timestamp()) * 1000)::float8 as clock
    from platform_gates where customer_id = $1 and platform = $2 for update`;

/** The state of a new gate: JSON null is of no known form. */
const make = `
  insert into platform_gates (customer_id, platform, state) values ($1, $2, 'null')
  on conflict (customer_id, platform) do nothing`;

/** Locks a gate, and makes it if there is none yet. */
export async function lockGate(store: Store, { customerId, platform }: ConnectionName): Promise<LockedGate> {
  const key = [customerId, platform];
  type Row = { state: GateState | null; clock: number };
  let [row] = await store.query<Row>(find, key);
  if (row === undefined) {
    await store.query(make, key);
    [row] = await store.query<Row>(find, key);
  }
  if (row === undefined) throw new Error('A gate that was made is not there');
  return { state: row.state ?? undefined, clock: row.clock };
}

/** Stores the state of a gate with the commit. */
export function saveGate(store: Store, { customerId, platform }: ConnectionName, state: GateState): void {
  store.queryLater(`update platform_gates set state = $3 where customer_id = $1 and platform = $2`, [
    customerId,
    platform,
    JSON.stringify(state),
  ]);
}
