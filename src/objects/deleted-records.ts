import { timeText } from '../database/transaction/time-text';

/** SQL for the customer's deleted records in the form of present ones, with the time of their deletion as `gone_at`. */
export const deletedRecords = `(
    select d.*, ${timeText('d.deleted_at')} as gone_at, null::json as accepted, null::timestamptz as written_at
    from deleted_records d where d.customer_id = $1
  )`;

/** Of deleted records, the last one of each platform. */
export function lastOfEach<Row extends { readonly platform: string; readonly gone_at?: string | null }>(
  rows: readonly Row[],
): readonly Row[] {
  const last = new Map<string, Row>();
  for (const row of rows) {
    const known = last.get(row.platform);
    if (known === undefined || (known.gone_at ?? '') < (row.gone_at ?? '')) last.set(row.platform, row);
  }
  return [...last.values()];
}
