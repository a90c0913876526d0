import type { PlatformName } from '@app/mapper';
import type { CustomerTransaction } from '../database/transaction/customer-transaction';
import type { Store } from '../database/transaction/store';

/** What changes records, and when. Rows name it as long as they are as it made them. */
export interface ChangeCause {
  /** The change's ID: that of the run or of the propagation, or one of its own. */
  readonly id: string;
  /** The database's time, with microseconds, taken behind the locks. */
  readonly at: string;
}

/** Where a change comes from. */
export type ChangeOrigin =
  | { readonly origin: 'run'; readonly platform: PlatformName; readonly ruleVersion: number }
  | { readonly origin: 'propagation'; readonly requestId: string }
  /** What a platform said later, or an operator decided, about the write of a command. */
  | { readonly origin: 'outcome'; readonly commandId: string }
  | { readonly origin: 'decision'; readonly decisionId: string; readonly ruleVersion: number }
  | { readonly origin: 'terms'; readonly detail: object };

/**
 * The database's time now. Whoever holds the lock of an object, or the customer's, gets a later one than every change that
 * held it before.
 */
export async function databaseTime(store: Store): Promise<string> {
  const [row] = await store.query<{ at: string }>('select clock_timestamp()::text as at');
  if (row === undefined) throw new Error('The database has no time');
  return row.at;
}

// Every change that a refresh of comparisons takes up is committed before it does so, and holds the customer's lock until then.
// So a row that this statement sees, and that no refresh has taken, will be taken by one that sees this change as well.
const dueOnce = `
  insert into due_comparisons (customer_id, id, since, due_at)
  select c.id, $2::uuid, $3::timestamptz, $3::timestamptz from customers c
  where c.id = $1 and c.kind <> 'demo'
    and not exists (select from due_comparisons d where d.customer_id = c.id and not d.taken)`;

// A change of terms holds no lock that a refresh waits for, so the row that it sees may be taken before it is committed.
const dueByItself = `
  insert into due_comparisons (customer_id, id, since, due_at)
  select c.id, $2::uuid, $3::timestamptz, $3::timestamptz from customers c where c.id = $1 and c.kind <> 'demo'`;

/**
 * Stores a change, with the commit at the latest, and that the customer's comparisons are behind from its time. Whoever
 * changes records holds the customer's lock.
 */
export function recordChange(tx: CustomerTransaction, cause: ChangeCause, origin: ChangeOrigin): void {
  const { id, at } = cause;
  tx.queryLater(origin.origin === 'terms' ? dueByItself : dueOnce, [id, at]);
  if (origin.origin === 'outcome') {
    tx.queryLater(
      `insert into changes (customer_id, id, at, origin, propagation_id)
       select customer_id, $3, $4::timestamptz, 'outcome', propagation_id from outbox_commands
       where customer_id = $1 and id = $2`,
      [origin.commandId, id, at],
    );
    return;
  }
  tx.queryLater(
    `insert into changes (customer_id, id, at, origin, platform, propagation_id, request_id, decision_id, detail)
     values ($1, $2, $3::timestamptz, $4, $5, $6, $7, $8, $9)`,
    [
      id,
      at,
      origin.origin,
      origin.origin === 'run' ? origin.platform : null,
      origin.origin === 'propagation' ? id : null,
      origin.origin === 'propagation' ? origin.requestId : null,
      origin.origin === 'decision' ? origin.decisionId : null,
      detailOf(origin),
    ],
  );
}

function detailOf(origin: ChangeOrigin): string | null {
  if (origin.origin === 'run' || origin.origin === 'decision')
    return JSON.stringify({ rule_version: origin.ruleVersion });
  return origin.origin === 'terms' ? JSON.stringify(origin.detail) : null;
}
