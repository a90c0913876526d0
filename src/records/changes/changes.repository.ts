import type { ChangeCause } from './change-cause';
import type { PlatformName } from '@app/mapper';
import {
  customersWithOlderRows,
  type CustomersWithOlderRows,
  type OlderRow,
} from '../../database/transaction/older-rows';
import type { CustomerTransaction, Store } from '../../database/transaction/store';
import { noteDue, noteDueUnlocked } from './due-comparisons.repository';

/** The source of a change. */
export type ChangeOrigin =
  | { readonly origin: 'run'; readonly platform: PlatformName; readonly ruleVersion: number }
  | {
      readonly origin: 'propagation';
      readonly requestId: string;
      /** Whether comparisons were marked as behind already when a statement checked it under the customer's lock. */
      readonly comparisonsAreDue: boolean;
    }
  /** The outcome of a command: a platform's later response, or an operator's decision. */
  | { readonly origin: 'outcome'; readonly commandId: string }
  | { readonly origin: 'decision'; readonly decisionId: string; readonly ruleVersion: number }
  | { readonly origin: 'terms'; readonly detail: object };

/**
 * Stores a change at the latest with the commit, and marks the customer's comparisons as behind from its time. The
 * caller holds the customer's lock, or for terms the mark of `markTimesTaken`.
 */
export function recordChange(tx: CustomerTransaction, cause: ChangeCause, origin: ChangeOrigin): void {
  const { id, at } = cause;
  if (origin.origin === 'terms') noteDueUnlocked(tx, cause);
  else if (origin.origin !== 'propagation' || !origin.comparisonsAreDue) noteDue(tx, cause);
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

/** A page of customers with changes before a time. Reads across customers. */
export function customersWithChangesBefore(
  store: Store,
  before: Date,
  after?: OlderRow,
): Promise<CustomersWithOlderRows> {
  return customersWithOlderRows(store, { table: 'changes', time: 'at' }, before, after);
}

/** Deletes changes that were made before a time, `most` at a time. @returns how many */
export function deleteOldChanges(tx: CustomerTransaction, before: Date, most: number): Promise<number> {
  return tx.execute(
    `delete from changes c using (
       select o.id from changes o where o.customer_id = $1 and o.at < $2 order by o.at limit $3
     ) old
     where c.customer_id = $1 and c.id = old.id`,
    [before, most],
  );
}
