import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { ENVIRONMENT, type Environment } from '../../runtime/config/environment';
import { tryLockCustomer } from '../../database/transaction/customer-lock';
import type { CustomerTransaction } from '../../database/transaction/customer-transaction';
import { UnitOfWork } from '../../database/transaction/unit-of-work';
import { BackgroundTasks } from '../../runtime/background/background-tasks';
import { forEachCustomer } from '../../runtime/background/each-customer';
import { pauseOfSweeps } from '../../runtime/background/sweeps';

/** Removes what is kept of deleted records when it is older than history is kept. */
@Injectable()
export class DeletedRetention implements OnApplicationBootstrap {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    @Inject(ENVIRONMENT) private readonly environment: Environment,
    private readonly background: BackgroundTasks,
  ) {}

  onApplicationBootstrap(): void {
    const life = this.environment.historyTtlMs;
    if (life === 0) return;
    this.background.start({
      pause: pauseOfSweeps(life),
      run: (stop) => this.purge(stop),
      failure: 'Old deleted records could not be removed',
    });
  }

  /** Removes what is too old, one customer after the other. A customer with work under way is left for the next time. */
  async purge(stop?: AbortSignal): Promise<void> {
    const life = this.environment.historyTtlMs;
    const customers = await this.unitOfWork.run(
      (store) =>
        store.query<{ customer_id: string }>(
          `select distinct customer_id from deleted_records where deleted_at < now() - $1 * interval '1 millisecond'`,
          [life],
        ),
      { patience: 'bulk', readOnly: true },
    );
    const ids = customers.map((row) => row.customer_id);
    await forEachCustomer(ids, stop, async (customerId) => {
      await this.unitOfWork.runFor(
        customerId,
        async (tx) => {
          // A run that brings a deleted record back takes its place from the row.
          if (await tryLockCustomer(tx)) await removeDeleted(tx, life);
        },
        { patience: 'bulk' },
      );
    });
  }
}

async function removeDeleted(tx: CustomerTransaction, life: number): Promise<void> {
  const removed = await tx.query<{ canonical_id: string }>(
    // A command that is open, or that a person must look at, is for an object that has to be there.
    `delete from deleted_records d where d.customer_id = $1 and d.deleted_at < now() - $2 * interval '1 millisecond'
       and not exists (
         select 1 from outbox_commands c where c.customer_id = $1 and c.canonical_id = d.canonical_id
           and (c.decided_at is null or c.status = 'held'))
     returning canonical_id`,
    [life],
  );
  if (removed.length === 0) return;
  // An object that has no record left was kept for its deleted one.
  await tx.query(
    `delete from canonical_objects o where o.customer_id = $1 and o.id = any($2::text[])
       and not exists (select 1 from platform_records r where r.customer_id = $1 and r.canonical_id = o.id)
       and not exists (select 1 from deleted_records d where d.customer_id = $1 and d.canonical_id = o.id)`,
    [[...new Set(removed.map((row) => row.canonical_id))]],
  );
}
