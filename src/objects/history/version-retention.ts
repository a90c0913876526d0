import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { Clock } from '../../runtime/clock/clock';
import { ENVIRONMENT, type Environment } from '../../runtime/config/environment';
import { UnitOfWork } from '../../database/transaction/unit-of-work';
import { noteRemoved } from '../../records/history-horizon';
import { BackgroundTasks } from '../../runtime/background/background-tasks';
import { forEachCustomer } from '../../runtime/background/each-customer';
import { pauseOfSweeps } from '../../runtime/background/sweeps';
import { StorageQuota } from '../../records/storage-quota/storage-quota';

/** Maximum number of rows that one transaction deletes. */
const AT_ONCE = 1_000;

/** Deletes versions of records, and the changes that made them, when they are older than the retention of history. */
@Injectable()
export class VersionRetention implements OnApplicationBootstrap {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly clock: Clock,
    @Inject(ENVIRONMENT) private readonly environment: Environment,
    private readonly background: BackgroundTasks,
    private readonly quota: StorageQuota,
  ) {}

  onApplicationBootstrap(): void {
    const life = this.environment.historyTtlMs;
    if (life === 0) return;
    this.background.start({
      pause: pauseOfSweeps(life),
      run: (stop) => this.purge(new Date(this.clock.now().getTime() - life), stop),
      failure: 'Old versions of records could not be removed',
    });
  }

  /**
   * Deletes what had ended by the given time, one customer after another, in short transactions. Present rows stay,
   * however old they are. The time is recorded first, so that no response takes the rest for the complete history.
   * Changes are deleted last, because they tell which customers may have expired versions.
   */
  async purge(before: Date, stop?: AbortSignal): Promise<void> {
    const customers = await this.unitOfWork.run(
      (store) =>
        store.query<{ customer_id: string }>('select distinct customer_id from changes where at < $1', [
          before,
        ]),
      { patience: 'bulk', readOnly: true },
    );
    const ids = customers.map((row) => row.customer_id);
    await forEachCustomer(ids, stop, async (customerId) => {
      await this.unitOfWork.runFor(customerId, (tx) => noteRemoved(tx, before), {
        patience: 'bulk',
      });
      for (const statement of [oldVersions, oldExtras, oldMoves, oldChanges]) {
        let removed = AT_ONCE;
        while (removed === AT_ONCE) {
          if (stop?.aborted) return;
          removed = await this.unitOfWork.runFor(
            customerId,
            (tx) => tx.execute(statement, [before, AT_ONCE]),
            { patience: 'bulk' },
          );
        }
      }
      await this.quota.recount(customerId);
    });
  }
}

const oldVersions = `
  delete from record_versions v using (
    select o.platform, o.entity_type, o.platform_id, o.since from record_versions o
    where o.customer_id = $1 and o.until < $2 order by o.until limit $3
  ) old
  where v.customer_id = $1 and v.platform = old.platform and v.entity_type = old.entity_type
    and v.platform_id = old.platform_id and v.since = old.since`;
const oldExtras = `
  delete from extra_versions v using (
    select o.canonical_id, o.until from extra_versions o where o.customer_id = $1 and o.until < $2 limit $3
  ) old
  where v.customer_id = $1 and v.canonical_id = old.canonical_id and v.until = old.until`;
const oldMoves = `
  delete from absent_moves m using (
    select o.platform, o.entity_type, o.platform_id, o.placement, o.at from absent_moves o
    where o.customer_id = $1 and o.at < $2 limit $3
  ) old
  where m.customer_id = $1 and m.platform = old.platform and m.entity_type = old.entity_type
    and m.platform_id = old.platform_id and m.placement = old.placement and m.at = old.at`;
const oldChanges = `
  delete from changes c using (
    select o.id from changes o where o.customer_id = $1 and o.at < $2 order by o.at limit $3
  ) old
  where c.customer_id = $1 and c.id = old.id`;
