import type { api } from './api';

/**
 * Reads the statement after the comparisons include all records read and changed so far. Tests read any member of it.
 */
export async function compared(
  call: Pick<ReturnType<typeof api>, 'get'>,
): Promise<ReturnType<typeof JSON.parse>> {
  for (;;) {
    const { data } = (await call.get('/reconciliation')).body;
    if (data.complete) return data;
  }
}
