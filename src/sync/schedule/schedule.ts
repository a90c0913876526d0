import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import type { ConnectionName } from '../../platforms/connector';
import { CustomerDeleted } from '../../database/transaction/customer-deleted';
import { UnitOfWork } from '../../database/transaction/unit-of-work';
import { LOGGER, type Logger } from '../../runtime/logging/logger';
import { logOf } from '../../runtime/tracing/logged-work';
import { ConcurrentWork } from '../../runtime/background/concurrent-work';
import { BackgroundTasks } from '../../runtime/background/background-tasks';
import { Runs } from '../run/runs';
import { dueConnections } from './schedules.repository';
import { SyncTimes } from './sync-times';

/** Runs of the schedule that one instance works on at a time. */
const MOST_AT_ONCE = 4;

/** Connections that one look finds. A customer has as many as there are platforms, so others are always among them. */
const LOOK = 100;

/** Reads live connections again when they are due. Of all instances one starts the run: its row is the claim. */
@Injectable()
export class SyncSchedule implements OnApplicationBootstrap {
  private readonly working = new ConcurrentWork(MOST_AT_ONCE);

  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly runs: Runs,
    private readonly times: SyncTimes,
    private readonly background: BackgroundTasks,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  onApplicationBootstrap(): void {
    this.background.start({
      pause: this.times.schedule,
      run: (stop) => this.look(stop),
      failure: 'The schedule could not be read',
      context: 'Sync',
    });
  }

  /** Starts what is due, as far as there is room: one run of a customer at a time, who waited longest first. */
  async look(stop: AbortSignal): Promise<void> {
    if (this.working.room <= 0) return;
    const connections = await this.unitOfWork.run((store) =>
      dueConnections(store, this.times.interval, LOOK),
    );
    for (const connection of connections) {
      if (stop.aborted || this.working.room <= 0) return;
      if (this.working.roomFor(connection.customerId) > 0) this.start(connection);
    }
  }

  /** Resolves when no run of the schedule is under way here. */
  idle(): Promise<void> {
    return this.working.idle();
  }

  private start(connection: ConnectionName): void {
    this.working.start(connection.customerId, () =>
      this.runs.startDue(connection).catch((error: unknown) => {
        if (error instanceof CustomerDeleted) return;
        logOf(this.logger, connection).warn(
          { context: 'Sync', err: error },
          'A run of the schedule could not be started',
        );
      }),
    );
  }
}
