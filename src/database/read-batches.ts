import Cursor from 'pg-cursor';
import type { DatabaseClient } from './database-client';
import { statementFailed } from './database-errors';
import type { Watch } from './patience';

/**
 * The rows of one SELECT, read over a cursor. The cursor is closed when the rows end and when the reader leaves.
 *
 * @param batchSize rows of one batch; the last batch may have fewer, none is empty
 * @throws QueryFailedError
 */
export async function* readBatches<Row extends object>(
  client: DatabaseClient,
  sql: string,
  parameters: readonly unknown[],
  batchSize: number,
  watch: Watch,
): AsyncGenerator<Row[], void, undefined> {
  const cursor = client.query(new Cursor<Row>(sql, [...parameters]));
  let open = true;
  try {
    for (;;) {
      const rows = await watch.during(() => cursor.read(batchSize));
      if (rows.length === 0) return;
      yield rows;
    }
  } catch (error) {
    // Nothing is left to close, and closing would wait for an answer that does not come.
    open = false;
    throw statementFailed(sql, error);
  } finally {
    if (open && client.usable) await watch.during(() => close(cursor, client));
  }
}

/** pg-cursor's own close() does not notice when the connection ends meanwhile. */
async function close(cursor: Cursor, client: DatabaseClient): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    client.once('error', reject);
    cursor.close((error?: Error) => {
      client.removeListener('error', reject);
      if (error === undefined) resolve();
      else reject(error);
    });
  });
}
