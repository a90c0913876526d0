/** SQL for a time as text: UTC, with microseconds. */
export function timeText(time: string): string {
  return `to_char((${time}) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;
}

/** SQL for the customer's records that are gone, in the form of those that are there, with when they went as `gone_at`. */
export const deletedRecords = `(
    select d.*, ${timeText('d.deleted_at')} as gone_at, null::json as accepted, null::timestamptz as written_at
    from deleted_records d where d.customer_id = $1
  )`;
