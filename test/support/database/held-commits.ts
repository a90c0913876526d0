import { setTimeout as sleep } from 'node:timers/promises';
import { StoredRecords } from './stored-records';

/** Any number that no lock of the service has. */
const LOCK = 424_242;

/** Keeps transactions that change records or terms from committing, when all they wanted to write is written. */
export class HeldCommits {
  private constructor(private readonly database: StoredRecords) {}

  static async over(databaseUrl: string): Promise<HeldCommits> {
    const database = await StoredRecords.open(databaseUrl);
    await database.query(
      `create function hold_commit() returns trigger language plpgsql set lock_timeout = 0 as
       $$ begin perform pg_advisory_xact_lock_shared(${LOCK}); return null; end $$`,
    );
    // Deferred, so it waits within the commit.
    await database.query(
      `create constraint trigger hold_commit after insert on changes deferrable initially deferred
       for each row execute function hold_commit()`,
    );
    return new HeldCommits(database);
  }

  /** While the work is under way no change commits; it begins when one wants to. */
  async during<T, R>(change: () => Promise<T>, work: () => Promise<R>): Promise<readonly [T, R]> {
    await this.database.query(`select pg_advisory_lock(${LOCK})`);
    const changed = change();
    try {
      while (!(await this.isWaiting())) await sleep(5);
      const done = await work();
      return [await this.released(changed), done];
    } finally {
      await this.database.query('select pg_advisory_unlock_all()');
    }
  }

  close(): Promise<void> {
    return this.database.close();
  }

  private async released<T>(changed: Promise<T>): Promise<T> {
    await this.database.query('select pg_advisory_unlock_all()');
    return changed;
  }

  private async isWaiting(): Promise<boolean> {
    const rows = await this.database.query(
      `select 1 from pg_locks where locktype = 'advisory' and objid = ${LOCK} and not granted`,
    );
    return rows.length > 0;
  }
}
