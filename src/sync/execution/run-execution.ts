import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { storedEntityTypes, type StoredEntityType } from '@app/mapper';
import type { CallBudget, Connector } from '../../platforms/connector';
import { Connectors } from '../../platforms/connectors';
import { asConflict } from '../../records/lock-conflict';
import { UnitOfWork } from '../../database/transaction/unit-of-work';
import { ApiError } from '../../common/errors/api-error';
import { toApiError } from '../../common/errors/error-translation';
import { untilFirstOf, withinDeadline } from '../../runtime/clock/deadline';
import { Overloaded } from '../../runtime/fairness/overloaded';
import { LOGGER, type Logger } from '../../runtime/logging/logger';
import { Metrics } from '../../runtime/metrics/metrics';
import { logOf, workAttributes } from '../../runtime/tracing/logged-work';
import { Spans, type SpanStart } from '../../runtime/tracing/spans';
import type { ReconcileResult } from '../../matching/reconcile';
import { readNamed } from '../reading/read-named';
import { lookUpMissing } from '../absences/absence-check';
import type { Progress } from '../run/checkpoints.repository';
import { CursorsRepository } from '../reading/cursors.repository';
import { fetchAll } from '../reading/fetch';
import type { HoldRun } from '../reading/page-staging';
import { Publication, type Published } from '../reading/publication';
import { RunLost, type ClaimedRun, type TypeCounts } from '../run/run';
import type { RunEnd } from '../run/run-end';
import { RunFailures } from './run-failures';
import { tidyRun } from './tidy-run';
import { hasPresentSettings, settingsChanged } from '../run/run-settings.repository';
import { RunsRepository } from '../run/runs.repository';
import { refreshStagingStatistics, refreshStatistics } from '../reading/statistics.repository';
import { SchedulesRepository } from '../schedule/schedules.repository';
import { SyncTimes } from '../schedule/sync-times';

/** The time limit of an estimate, in milliseconds. A run does not depend on it. */
const BUDGET_LIMIT = 30_000;

/** Executes a run: reads the platform, publishes what was read, and reports the result. */
@Injectable()
export class RunExecution implements OnModuleInit {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly runs: RunsRepository,
    private readonly cursors: CursorsRepository,
    private readonly schedules: SchedulesRepository,
    private readonly publication: Publication,
    private readonly failures: RunFailures,
    private readonly connectors: Connectors,
    private readonly times: SyncTimes,
    private readonly metrics: Metrics,
    private readonly spans: Spans,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  onModuleInit(): void {
    for (const platform of this.connectors.livePlatforms) this.metrics.showLiveReadings(platform);
  }

  /**
   * Executes a run from its checkpoints to its end.
   *
   * @param stop aborts the work and releases the run, so that another instance can continue it
   * @param progressed called with the number of records read so far
   * @throws RunLost if the run is no longer that of this instance (see {@link RunLost}); otherwise the error with which
   *   the run failed or stopped
   */
  carryOut(
    claimed: ClaimedRun,
    stop: AbortSignal,
    progressed: (counts: TypeCounts) => void,
  ): Promise<RunEnd> {
    // Calls of the platform, and lines of the log, name the run.
    const connection = { ...claimed.connection, runId: claimed.id };
    return this.spans.around(spanOf({ ...claimed, connection }), connection.cause?.trace, ({ trace }) => {
      const run = { ...claimed, connection: { ...connection, ...(trace && { trace }) } };
      return this.untilItsEnd(run, stop, progressed);
    });
  }

  private async untilItsEnd(
    run: ClaimedRun,
    stop: AbortSignal,
    progressed: (counts: TypeCounts) => void,
  ): Promise<RunEnd> {
    if (run.isTakenOver) this.logOf(run).info({ context: 'Sync' }, 'A run was taken over');
    const over = new AbortController();
    const renewing = setInterval(() => void this.renew(run, over), this.times.lease / 3);
    try {
      return await untilFirstOf([stop, over.signal], (signal) => this.work(run, signal, progressed));
    } catch (error) {
      const cause: unknown = over.signal.aborted ? over.signal.reason : error;
      if (error instanceof RunLost || cause instanceof RunLost) throw new RunLost();
      if (stop.aborted) return await this.release(run, error);
      if (cause instanceof Overloaded) return await this.leave(run, cause);
      throw await this.fail(run, cause);
    } finally {
      clearInterval(renewing);
    }
  }

  private async work(
    run: ClaimedRun,
    signal: AbortSignal,
    progressed: (counts: TypeCounts) => void,
  ): Promise<RunEnd> {
    const { unitOfWork, times } = this;
    const { customerId, mode } = run.connection;
    const connector = this.connectors.connectorFor(run.connection);
    const { currency } = await connector.describe(run.connection, signal);
    if (run.whole) await this.estimate(run, connector, signal);
    const readingSince = await unitOfWork.runFor(customerId, (tx) => this.runs.beginReading(tx, run), {
      deadlines: 'bulk',
      lockWaitMs: times.lock,
    });
    const hold: HoldRun = (tx, counts) => this.runs.hold(tx, run, times.lease, counts);
    const reading = { unitOfWork, run, connector, currency, hold, signal };
    const fetched = await fetchAll({
      ...reading,
      cursors: this.cursors,
      progressed,
      foreseen: (entityType, budget) => this.logBudget(run, budget, entityType),
    });
    signal.throwIfAborted();
    await unitOfWork.runFor(customerId, (tx) => refreshStagingStatistics(tx, run), {
      deadlines: 'bulk',
    });
    const seen = await readNamed({
      ...reading,
      seen: fetched,
      readingSince,
      schedules: this.schedules,
      failed: (error) => this.warn(run, error, 'A record that the platform named could not be read'),
    });
    const lookups = await lookUpMissing({
      unitOfWork,
      run,
      connector,
      seen,
      readingSince,
      signal,
      failed: (error) => this.warn(run, error, 'Missing records could not be looked for'),
    });
    const published = await unitOfWork.runFor(
      customerId,
      (tx) => this.publication.publish(tx, run, { currency, readingSince, seen, lookups }),
      {
        deadlines: 'bulk',
        lockWaitMs: times.lock,
      },
    );
    this.report(run, seen, published);
    await this.tidy(run, published);
    const { whole, acceptDeletions } = run;
    return { mode, whole, acceptDeletions, counts: published.stored, report: published.report };
  }

  /** Logs the estimated effort of reading everything, if the platform gives one. */
  private async estimate(run: ClaimedRun, connector: Connector, signal: AbortSignal): Promise<void> {
    const { connection } = run;
    if (connector.foresees === true) return;
    const scopes = storedEntityTypes.map((entityType) => ({ entityType }));
    try {
      const budget = await withinDeadline(BUDGET_LIMIT, [signal], async (limit) =>
        connector.budget?.(connection, scopes, limit),
      );
      if (budget !== undefined) this.logBudget(run, budget);
    } catch (error) {
      signal.throwIfAborted();
      this.warn(run, error, 'Calls could not be estimated');
    }
  }

  /** @param entityType the type of the one list that is estimated; without it everything is */
  private logBudget(
    run: ClaimedRun,
    { calls, minutesAtLimit }: CallBudget,
    entityType?: StoredEntityType,
  ): void {
    const list = entityType !== undefined && { entity_type: entityType };
    this.logOf(run).info(
      { context: 'Sync', ...list, calls, minutes_at_limit: minutesAtLimit },
      'call budget',
    );
  }

  /**
   * Renews the lease of a run. Ends the run if it is lost, or if its settings have changed: it would read for hours what is
   * not published, and the run with the new settings waits for its end.
   */
  private async renew(run: ClaimedRun, over: AbortController): Promise<void> {
    const { customerId } = run.connection;
    try {
      const isPresent = await this.unitOfWork.runFor(customerId, async (tx) => {
        // The transaction at the end locks the row, so the run needs no renewal then.
        await tx.store.set('lock_timeout = 500');
        await this.runs.hold(tx, run, this.times.lease);
        return hasPresentSettings(tx, run);
      });
      if (!isPresent) over.abort(settingsChanged());
    } catch (error) {
      if (error instanceof RunLost) over.abort(error);
    }
  }

  /**
   * Updates the planner's statistics, and removes what the run no longer needs. The run is done even if this fails, because
   * a worker removes what ended runs leave (see `RunReaper`).
   */
  private async tidy(run: ClaimedRun, { reconciled }: Published): Promise<void> {
    try {
      const added = sumOf(reconciled.values(), (one) => one.added);
      await this.unitOfWork.run((store) => refreshStatistics(store, added), { deadlines: 'bulk' });
      const { customerId } = run.connection;
      await this.unitOfWork.runFor(customerId, (tx) => tidyRun(tx, run.id), { deadlines: 'bulk' });
    } catch (error) {
      this.warn(run, error, 'What a run had staged could not be removed');
    }
  }

  private async fail(run: ClaimedRun, thrown: unknown): Promise<unknown> {
    const error = asConflict(thrown, 'connect');
    const { customerId, platform, mode } = run.connection;
    this.metrics.countConnect(platform, 'failed');
    this.metrics.countRun({ platform, mode, outcome: 'failed' });
    this.warn(run, error, 'A run failed');
    await this.unitOfWork
      .runFor(customerId, (tx) => this.failures.fail(tx, run, failureOf(run, error)), {
        deadlines: 'bulk',
      })
      .catch((second: unknown) => {
        this.warn(run, second, 'A run failed, and its row does not say so');
      });
    return error;
  }

  private logOf({ connection }: ClaimedRun): Pick<Logger, 'info' | 'warn'> {
    return logOf(this.logger, connection);
  }

  private warn(run: ClaimedRun, error: unknown, message: string): void {
    this.logOf(run).warn({ context: 'Sync', err: error }, message);
  }

  /** Other work of this instance is no failure of the run. What it has read stays, and it is taken over from there. */
  private leave(run: ClaimedRun, cause: Overloaded): Promise<never> {
    this.warn(run, cause, 'A run was left to be taken over, because too much other work waits');
    return this.release(run, new RunLost());
  }

  private async release(run: ClaimedRun, error: unknown): Promise<never> {
    const { customerId } = run.connection;
    // If the release fails, another instance takes the run over when the lease ends.
    await this.unitOfWork.runFor(customerId, (tx) => this.runs.release(tx, run)).catch(() => undefined);
    throw error;
  }

  private report(
    run: ClaimedRun,
    seen: ReadonlyMap<StoredEntityType, Progress>,
    { reconciled, deletions, report }: Published,
  ): void {
    const { platform, mode } = run.connection;
    const logger = this.logOf(run);
    const read = sumOf(seen.values(), ({ records }) => records);
    const { calls, limited } = report;
    this.metrics.countConnect(platform, 'connected');
    this.metrics.countRun({ platform, mode, outcome: report.complete ? 'complete' : 'incomplete' });
    this.metrics.countReading({ platform, mode, records: read, calls, limited });
    if (report.deletionsHeld > 0) this.metrics.countHeldDeletions(platform);
    for (const [entityType, { added, changed, returned, linked }] of reconciled) {
      this.metrics.countEntities(platform, entityType, 'new', added);
      this.metrics.countEntities(platform, entityType, 'changed', changed);
      this.metrics.countEntities(platform, entityType, 'returned', returned);
      this.metrics.countEntities(platform, entityType, 'linked', linked);
    }
    for (const [entityType, { deleted }] of deletions)
      this.metrics.countEntities(platform, entityType, 'deleted', deleted);
    if (report.deletionsHeld > 0) {
      const held = Object.fromEntries([...deletions].map(([entityType, one]) => [entityType, one.held]));
      logger.warn(
        { context: 'Sync', held },
        'Records are gone from a platform, too many at once: a person has to accept it',
      );
    }
    const total = (count: (one: ReconcileResult) => number): number => sumOf(reconciled.values(), count);
    logger.info(
      {
        context: 'Connections',
        new: total(({ added }) => added),
        changed: total(({ changed }) => changed),
        linked: total(({ linked }) => linked),
        without_id: sumOf(seen.values(), ({ withoutId }) => withoutId),
        unreadable_fields: sumOf(seen.values(), ({ unreadableFields }) => unreadableFields),
        ...(mode === 'live' && {
          mode,
          read,
          whole: report.whole,
          complete: report.complete,
          gaps: report.gaps,
          calls,
          calls_per_1000: read === 0 ? null : Math.round((calls / read) * 10_000) / 10,
          limited,
          returned: total(({ returned }) => returned),
          deleted: report.deleted,
          deletions_held: report.deletionsHeld,
        }),
      },
      'connected',
    );
  }
}

/** The span of a run: a child of the request that started it. A run of the schedule starts a trace of its own. */
function spanOf({ connection, whole, isTakenOver }: ClaimedRun): SpanStart {
  return {
    name: 'sync run',
    kind: 'internal',
    attributes: {
      ...workAttributes(connection),
      'translation.mode': connection.mode,
      'translation.whole': whole,
      'translation.taken_over': isTakenOver,
    },
  };
}

/**
 * The error of a failed run for the client. A fault of the service is identified by the run, because the run may have
 * been started without a request.
 */
function failureOf({ id }: ClaimedRun, thrown: unknown): ApiError {
  const error = toApiError(thrown);
  return error.type === 'INTERNAL_ERROR'
    ? new ApiError('INTERNAL_ERROR', `Something went wrong on our side; the log has it under run_id ${id}`)
    : error;
}

function sumOf<Item>(items: Iterable<Item>, count: (item: Item) => number): number {
  let sum = 0;
  for (const item of items) sum += count(item);
  return sum;
}
