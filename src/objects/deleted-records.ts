import { timeText } from '../database/transaction/time-text';

/** SQL for the customer's deleted records in the form of present ones, with the time of their deletion as `gone_at`. */
export const deletedRecords = `(
    select d.*, ${timeText('d.deleted_at')} as gone_at, null::json as accepted, null::timestamptz as written_at
    from deleted_records d where d.customer_id = $1
  )`;
