import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { Clock } from '../../runtime/clock/clock';
import { ENVIRONMENT, type Environment } from '../../runtime/config/environment';
import { UnitOfWork } from '../../database/transaction/unit-of-work';
import { BackgroundTasks } from '../../runtime/background/background-tasks';
import { forEachCustomer } from '../../runtime/background/each-customer';
import { pauseOfSweeps } from '../../runtime/background/sweeps';
import { StorageQuota } from '../../records/storage-quota/storage-quota';

/** Removes the history of changes that were decided longer ago than history is kept. */
@Injectable()
export class HistoryRetention implements OnApplicationBootstrap {
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
      run: (stop) => this.purge(stop),
      failure: 'Old history could not be removed',
    });
  }

  /**
   * Removes what is too old, one customer after the other. A change lives for as long as one of its commands is open, waits for
   * a person or is not too old itself, and so do its other commands and what operators decided about them: a command that is
   * taken up again needs them. A change that answers an Idempotency-Key lives for as long as the key.
   */
  async purge(stop?: AbortSignal): Promise<void> {
    const oldest = new Date(this.clock.now().getTime() - this.environment.historyTtlMs);
    const customers = await this.unitOfWork.run(
      (store) =>
        store.query<{ customer_id: string }>(
          'select distinct customer_id from propagations where created_at < $1 and decided_at < $1',
          [oldest],
        ),
      { patience: 'bulk', readOnly: true },
    );
    await forEachCustomer(
      customers.map((row) => row.customer_id),
      stop,
      async (customerId) => {
        await this.unitOfWork.runFor(
          customerId,
          async (tx) => {
            for (const statement of [oldChanges, oldCommands, oldDecisions]) {
              await tx.query(statement, [oldest]);
            }
          },
          { patience: 'bulk' },
        );
        await this.quota.recount(customerId);
      },
    );
  }
}

const oldChanges = `
  delete from propagations p where p.customer_id = $1 and p.created_at < $2 and p.decided_at < $2
    and not exists (
      select 1 from outbox_commands c where c.customer_id = $1 and c.propagation_id = p.id
        and (c.decided_at is null or c.decided_at >= $2 or c.status = 'held'))
    and not exists (select 1 from idempotency_keys k where k.customer_id = $1 and k.subject = p.id::text)`;
const oldCommands = `
  delete from outbox_commands c where c.customer_id = $1 and c.decided_at < $2 and c.status <> 'held'
    and not exists (select 1 from propagations p where p.customer_id = $1 and p.id = c.propagation_id)`;
const oldDecisions = `
  delete from outbox_decisions d where d.customer_id = $1 and d.made_at < $2
    and not exists (select 1 from outbox_commands c where c.customer_id = $1 and c.id = d.command_id)`;
