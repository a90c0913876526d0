import { timeText } from '../database/transaction/time-text';

/** SQL for the customer's records that are gone, in the form of those that are there, with when they went as `gone_at`. */
export const deletedRecords = `(
    select d.*, ${timeText('d.deleted_at')} as gone_at, null::json as accepted, null::timestamptz as written_at
    from deleted_records d where d.customer_id = $1
  )`;
