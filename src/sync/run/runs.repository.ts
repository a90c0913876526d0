import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { QueryDeepPartialEntity, Repository, UpdateQueryBuilder } from 'typeorm';
import { SyncRunRow } from '../../database/entities/sync-run.entity';
import { ForbiddenTransition } from '../../database/state-machine';
import { CustomerDeleted } from '../../database/transaction/customer-deleted';
import { lockCustomer } from '../../database/transaction/customer-lock';
import { databaseTime } from '../../database/transaction/database-time';
import type { CustomerTransaction } from '../../database/transaction/store';
import type { ConnectionName } from '../../platforms/connector';
import { RunLost, type ClaimedRun, type RunFailure, type TypeCounts } from './run';
import { stateFrom, type RunState } from './run-end';
import { reportFrom, type RunReport } from './run-report';
import { runStates } from './run-states';

/** Every ended run is kept at least this long, so that requests that wait for it can read its result. */
const KEPT = `interval '1 day'`;

// A failed run of a sandbox leaves no trace, so statements and the list of connections ignore it.
const isSilent = (alias: string): string => `${alias}.mode = 'sandbox' and ${alias}.status = 'failed'`;

// Deletes ended runs with the same result as the run before. The result consists of what statements show of a run, of
// whether the run read everything, because only such a run shows deletions, and of whether it read the sandbox.
const deleteRepeated = `
  delete from sync_runs r using (
    select e.*, lag(e.said) over (partition by e.is_silent order by e.started_at, e.id) as said_before from (
      select n.id, n.started_at, ${isSilent('n')} as is_silent, concat_ws(' ', n.mode, n.status, coalesce(n.report ->> 'complete', 'true'),
        coalesce(n.report ->> 'whole', 'true'), coalesce(n.report ->> 'deletionsHeld', '0'), n.report ->> 'gaps',
        n.error ->> 'message') as said
      from sync_runs n where n.customer_id = $1 and n.platform = $2 and n.ended_at is not null
    ) e
  ) told
  where r.customer_id = $1 and r.id = told.id and r.ended_at < now() - ${KEPT}
    and (told.is_silent or told.said = told.said_before)`;

const deleteForgotten = `
  delete from sync_runs r
  where r.customer_id = $1 and r.platform = $2 and r.ended_at < now() - ${KEPT} and exists (
    select from sync_runs n where n.customer_id = $1 and n.platform = $2 and n.started_at > r.started_at
      and n.ended_at < now() - $3 * interval '1 millisecond' and not (${isSilent('n')}))`;

/**
 * The table of runs. Each transition has one method, which changes no run that is in another state. Statements that run
 * with each connect or each page are SQL, because TypeORM's take twice as long.
 */
@Injectable()
export class RunsRepository {
  constructor(@InjectRepository(SyncRunRow) private readonly rows: Repository<SyncRunRow>) {}

  /**
   * Stores a run that begins.
   *
   * @param lease milliseconds
   * @param times the database's texts of the time now, and of when the credentials were stored
   * @returns false if another run of the connection is under way
   */
  async start(
    tx: CustomerTransaction,
    { id, owner, whole, acceptDeletions, connection: { platform, mode } }: ClaimedRun,
    lease: number,
    times: { readonly at: string; readonly changedAt: string | null },
  ): Promise<boolean> {
    const started = await tx.execute(
      `insert into sync_runs (customer_id, id, platform, mode, status, lease_owner, lease_until, whole, accept_deletions,
         settings_changed_at, started_at)
       values ($1, $2, $3, $4, 'running', $5, now() + $6 * interval '1 millisecond', $7, $8, $9::timestamptz, $10::timestamptz)
       on conflict (customer_id, platform) where status = 'running' do nothing`,
      [id, platform, mode, owner, lease, whole, acceptDeletions, times.changedAt, times.at],
    );
    return started === 1;
  }

  /**
   * Takes over a run whose lease has expired; undefined if there is none. A locked row belongs to a run that is being
   * published, even if its lease seems to have expired.
   *
   * @param lease milliseconds
   */
  async takeOver(
    tx: CustomerTransaction,
    { customerId, platform }: ConnectionName,
    lease: number,
  ): Promise<ClaimedRun | undefined> {
    const owner = randomUUID();
    const [taken] = await tx.query<Pick<SyncRunRow, 'id' | 'mode' | 'whole' | 'acceptDeletions'>>(
      `update sync_runs set lease_owner = $3, lease_until = now() + $4 * interval '1 millisecond'
       where customer_id = $1 and id in (
         select id from sync_runs
         where customer_id = $1 and platform = $2 and status = 'running' and lease_until < now()
         for update skip locked
       ) returning id, mode, whole, accept_deletions as "acceptDeletions"`,
      [platform, owner, lease],
    );
    if (taken === undefined) return undefined;
    const { mode, ...run } = taken;
    return { ...run, connection: { customerId, platform, mode }, owner, isTakenOver: true };
  }

  /** The ID of the run under way. */
  async findRunning(tx: CustomerTransaction, { platform }: ConnectionName): Promise<string | undefined> {
    const run = await this.bound(tx).findOne({
      select: { id: true },
      where: { customerId: tx.customerId, platform, status: 'running' },
    });
    return run?.id;
  }

  /**
   * Reads the state of a run.
   *
   * @throws CustomerDeleted if the run does not exist, which only the deletion of its customer can cause
   */
  async read(tx: CustomerTransaction, id: string): Promise<RunState> {
    const row = await this.bound(tx).findOneBy({ customerId: tx.customerId, id });
    if (row === null) throw new CustomerDeleted();
    return stateFrom(row);
  }

  /**
   * Renews the lease of a run, and locks its row until the transaction ends.
   *
   * @param lease milliseconds
   * @param counts records read so far, if they are to be shown
   * @throws RunLost
   */
  async hold(
    tx: CustomerTransaction,
    { id, owner }: ClaimedRun,
    lease: number,
    counts?: TypeCounts,
  ): Promise<void> {
    const held = await tx.execute(
      `update sync_runs set lease_until = now() + $4 * interval '1 millisecond', counts = coalesce($5::json, counts)
       where customer_id = $1 and id = $2 and lease_owner = $3 and ${runStates.shownBy.running}`,
      [id, owner, lease, counts && JSON.stringify(counts)],
    );
    if (held === 0) throw new RunLost();
  }

  /** Releases a run, so that another instance can continue it. */
  async release(tx: CustomerTransaction, run: ClaimedRun): Promise<void> {
    await this.updateHeld(tx, run, { leaseUntil: () => `now() - interval '1 millisecond'` }).execute();
  }

  /**
   * Records when a run begins to read. The time falls between two changes of the customer's records: every earlier change
   * has ended, so the reading sees it, and every later change is recorded with a later time. The database's clock alone
   * therefore separates what a run has read from what was written since. A run that another process takes over keeps its
   * time.
   *
   * @returns the time as the database writes it, to the microsecond
   * @throws RunLost
   */
  async beginReading(tx: CustomerTransaction, run: ClaimedRun): Promise<string> {
    if (!(await lockCustomer(tx, 'exclusive'))) throw new RunLost();
    // Three statements, because a distributed table accepts neither a clock in an update nor its text in the returned
    // row.
    const now = await databaseTime(tx.store);
    const { affected } = await this.updateHeld(tx, run, {
      readingSince: () => 'coalesce(reading_since, :now::timestamptz)',
    })
      .setParameters({ now })
      .execute();
    const begun = await this.bound(tx).findOne({
      select: { id: true, readingSinceText: true },
      where: { customerId: tx.customerId, id: run.id },
    });
    if (affected === 0 || begun?.readingSinceText == null) throw new RunLost();
    return begun.readingSinceText;
  }

  /**
   * Marks a run as done. The transaction already holds its row.
   *
   * @param at the database's time, taken behind the locks
   * @throws ForbiddenTransition
   */
  async finish(
    tx: CustomerTransaction,
    run: ClaimedRun,
    result: TypeCounts,
    report: RunReport,
    at: string,
  ): Promise<void> {
    const ended = await this.end(tx, run, 'done', { result, report }, at);
    if (!ended) throw new ForbiddenTransition(`Run ${run.id}`, 'done');
  }

  /** The number of deletions that the platform's last successful run held back; 0 if there is no such run. */
  async lastHeld(tx: CustomerTransaction, { connection: { platform } }: ClaimedRun): Promise<number> {
    const last = await this.bound(tx).findOne({
      select: { id: true, report: true },
      where: { customerId: tx.customerId, platform, status: 'done' },
      order: { endedAt: 'DESC' },
    });
    return last === null ? 0 : reportFrom(last.report).deletionsHeld;
  }

  /** Marks a run as failed; false for a run that another instance took over, which stays unchanged. */
  fail(tx: CustomerTransaction, run: ClaimedRun, error: RunFailure, at: string): Promise<boolean> {
    return this.end(tx, run, 'failed', { error }, at);
  }

  /**
   * Marks the run under way of a live connection as failed, whichever instance works on it.
   *
   * @param at the database's time
   * @returns the IDs of the marked runs
   */
  async failLive(
    tx: CustomerTransaction,
    { platform }: ConnectionName,
    error: RunFailure,
    at: string,
  ): Promise<readonly string[]> {
    const ended = await tx.query<{ id: string }>(
      `update sync_runs set status = 'failed', ended_at = $4::timestamptz, error = $3
       where customer_id = $1 and platform = $2 and mode = 'live' and ${runStates.before('failed')} returning id`,
      [platform, JSON.stringify(error), at],
    );
    return ended.map(({ id }) => id);
  }

  /** Deletes a run that was started and is not due. */
  async delete(tx: CustomerTransaction, id: string): Promise<void> {
    await this.bound(tx).delete({ customerId: tx.customerId, id });
  }

  /**
   * Deletes ended runs that are no longer needed. A run whose result differs from that of the run before stays as long as
   * history is kept, because it tells whether a statement of that time was complete. For the same reason, the last run
   * from before that time stays.
   *
   * @param life milliseconds for which history is kept; 0 for ever
   */
  async deleteEnded(tx: CustomerTransaction, { platform }: ConnectionName, life: number): Promise<void> {
    await tx.query(deleteRepeated, [platform]);
    if (life > 0) tx.queryLater(deleteForgotten, [platform, life]);
  }

  private async end(
    tx: CustomerTransaction,
    run: ClaimedRun,
    status: 'done' | 'failed',
    results: QueryDeepPartialEntity<SyncRunRow>,
    at: string,
  ): Promise<boolean> {
    const endedAt = () => ':at::timestamptz';
    const { affected } = await this.updateHeld(
      tx,
      run,
      { status, endedAt, ...results },
      runStates.before(status),
    )
      .setParameters({ at })
      .execute();
    return affected === 1;
  }

  /** An update of a run that its instance still has. */
  private updateHeld(
    tx: CustomerTransaction,
    { id, owner }: ClaimedRun,
    changes: QueryDeepPartialEntity<SyncRunRow>,
    condition = runStates.shownBy.running,
  ): UpdateQueryBuilder<SyncRunRow> {
    return this.bound(tx)
      .createQueryBuilder()
      .update()
      .set(changes)
      .where({ customerId: tx.customerId, id, leaseOwner: owner })
      .andWhere(condition);
  }

  private bound(tx: CustomerTransaction): Repository<SyncRunRow> {
    return tx.store.manager.withRepository(this.rows);
  }
}
