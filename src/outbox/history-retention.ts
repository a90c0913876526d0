import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { Clock } from '../clock/clock';
import { ENVIRONMENT, type Environment } from '../config/environment';
import { UnitOfWork } from '../database/unit-of-work';
import { BackgroundTasks } from '../schedule/background-tasks';
import { pauseOfSweeps } from '../schedule/sweeps';

/** Removes the history of changes that were decided longer ago than history is kept. */
@Injectable()
export class HistoryRetention implements OnApplicationBootstrap {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly clock: Clock,
    @Inject(ENVIRONMENT) private readonly environment: Environment,
    private readonly background: BackgroundTasks,
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

  /** Removes what is too old, one customer after the other. Changes and held commands that are open stay. */
  async purge(stop?: AbortSignal): Promise<void> {
    const oldest = new Date(this.clock.now().getTime() - this.environment.historyTtlMs);
    const customers = await this.unitOfWork.run((store) =>
      store.query<{ customer_id: string }>(
        'select distinct customer_id from propagations where created_at < $1 and decided_at < $1',
        [oldest],
      ),
    );
    for (const { customer_id: customerId } of customers) {
      if (stop?.aborted) return;
      await this.unitOfWork.run(
        async (store) => {
          await store.query(
            `delete from outbox_commands where customer_id = $1 and decided_at < $2 and status <> 'held'`,
            [customerId, oldest],
          );
          await store.query(
            `delete from outbox_decisions d where d.customer_id = $1 and d.made_at < $2 and not exists (
               select 1 from outbox_commands c where c.customer_id = $1 and c.id = d.command_id)`,
            [customerId, oldest],
          );
          await store.query(
            'delete from propagations where customer_id = $1 and created_at < $2 and decided_at < $2',
            [customerId, oldest],
          );
        },
        { patience: 'bulk' },
      );
    }
  }
}
