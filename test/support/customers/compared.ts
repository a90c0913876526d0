import type { api } from '../app/api';

/**
 * Reads the statement after the comparisons include all records read and changed so far. Tests read any member of it.
 */
export async function compared(
  call: Pick<ReturnType<typeof api>, 'get'>,
): Promise<ReturnType<typeof JSON.parse>> {
  for (;;) {
    const { status, body } = await call.get('/reconciliation');
    if (status !== 200) throw new Error(`The statement was answered ${status}: ${JSON.stringify(body)}`);
    if (body.data.complete) return body.data;
  }
}
