import type { api } from './api';

/** The statement once the comparisons have followed all that was read and changed. Tests look into it freely. */
export async function compared(
  call: Pick<ReturnType<typeof api>, 'get'>,
): Promise<ReturnType<typeof JSON.parse>> {
  for (;;) {
    const { data } = (await call.get('/reconciliation')).body;
    if (data.complete) return data;
  }
}
