import { DatabaseUnavailable } from '../../database/connection/database-errors';

/**
 * Does work for one customer after another until the stop signal aborts. A failure for one customer does not affect the
 * others.
 *
 * @throws AggregateError at the end, with the failures; DatabaseUnavailable at once
 */
export async function forEachCustomer(
  customers: readonly string[],
  stop: AbortSignal | undefined,
  work: (customerId: string) => Promise<void>,
): Promise<void> {
  const failures: unknown[] = [];
  for (const customerId of customers) {
    if (stop?.aborted) return;
    try {
      await work(customerId);
    } catch (error) {
      if (error instanceof DatabaseUnavailable) throw error;
      failures.push(error);
    }
  }
  if (failures.length > 0) {
    throw new AggregateError(
      failures,
      `The work failed for ${failures.length} of ${customers.length} customers`,
    );
  }
}
