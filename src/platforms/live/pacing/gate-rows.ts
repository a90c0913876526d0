import type { Store } from '../../../database/transaction/store';
import type { GateName } from './gate-name';
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
    from platform_gates where platform = $1 and credential = $2 for update`;

/** The state of a new gate: JSON null is of no known form. */
const make = `
  insert into platform_gates (platform, credential, state, visited_at) values ($1, $2, 'null', now())
  on conflict (platform, credential) do nothing`;

/** A gate that nobody visits for longer than any window and any pause has nothing to remember. */
const forgetOld = `
  delete from platform_gates where (platform, credential) in (
    select platform, credential from platform_gates where visited_at < now() - interval '1 day'
    limit 100 for update skip locked)`;

/** Locks a gate, and makes it if there is none yet. Others that are forgotten long since go then. */
export async function lockGate(store: Store, { platform, credential }: GateName): Promise<LockedGate> {
  const key = [platform, credential];
  type Row = { state: GateState | null; clock: number };
  let [row] = await store.query<Row>(find, key);
  if (row === undefined) {
    await store.query(make, key);
    await store.query(forgetOld);
    [row] = await store.query<Row>(find, key);
  }
  if (row === undefined) throw new Error('A gate that was made is not there');
  return { state: row.state ?? undefined, clock: row.clock };
}

/** Stores the state of a gate with the commit. */
export function saveGate(store: Store, { platform, credential }: GateName, state: GateState): void {
  store.queryLater(
    `update platform_gates set state = $3, visited_at = now() where platform = $1 and credential = $2`,
    [platform, credential, JSON.stringify(state)],
  );
}
