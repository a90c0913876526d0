import { until } from './live-work';

/** Sends a statement to the database of a service. */
type Query = (sql: string, parameters: readonly unknown[]) => Promise<readonly object[]>;

/**
 * Waits until a platform has put a write of a customer off for long, and the service has stored that. Before that an instance
 * has the write in hand, and the platform may have taken it.
 */
export async function untilPutOff(query: Query, customerId: string): Promise<void> {
  await until('a platform has put a write off', async () => {
    const rows = await query(
      `select from outbox_commands
       where customer_id = $1 and decided_at is null and lease_owner is null and not_before > now() + interval '1 minute'`,
      [customerId],
    );
    return rows.length > 0;
  });
}
