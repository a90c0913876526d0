import { randomUUID } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { platformNames, type PlatformName } from '@app/mapper';
import type { Customer } from '../auth/customers/customer';
import { Connectors } from '../platforms/connectors';
import { asConflict } from '../records/lock-conflict';
import type { CustomerTransaction } from '../database/transaction/store';
import { UnitOfWork } from '../database/transaction/unit-of-work';
import { DatabaseUnavailable } from '../database/connection/database-errors';
import { ApiError, type ErrorType } from '../common/errors/api-error';
import type { KnownVersions } from '../common/request/if-match';
import type { Claim } from '../common/idempotency/claim';
import type { Handling } from '../common/idempotency/idempotency.service';
import { Overloaded } from '../runtime/fairness/overloaded';
import { LOGGER, type Logger } from '../runtime/logging/logger';
import { Metrics } from '../runtime/metrics/metrics';
import { OutcomeWaiter } from '../outbox/outcome/outcome-waiter';
import { Dispatcher } from '../outbox/dispatch/dispatcher';
import { PropagationsRepository } from '../outbox/history/propagations.repository';
import { PlatformRecordsRepository } from '../records/platform-records/platform-records.repository';
import { CanonicalObjectsRepository } from '../records/objects/canonical-objects.repository';
import { logOf } from '../runtime/tracing/logged-work';
import type { RequestContext } from '../runtime/tracing/request-context';
import { responseOf, dryRunResponseOf } from './change-response';
import { digestOfEffects } from './effects-digest';
import { knownState } from './load/known-state';
import { LookupsRepository } from './load/lookups.repository';
import { loadContext } from './load/load-context';
import type { Change, ChangeTarget } from './plan/intent/change';
import { modeOf, settingsOf, type ChangeContext } from './plan/context/change-context';
import { planChange, type Predict } from './plan/change-plan';
import { resultOf } from './plan/result/change-result';
import { refuseStale, StaleWriter, versionNow } from './plan/context/known-version';
import { ChangeRefused, type RefusalKind } from './plan/refusal';
import { conflictsOf } from './plan/context/field-conflicts';
import { isSettled, type PropagateResult } from './propagate.response';
import type { PropagateDto } from './propagate.dto';
import { PropagationsService } from './propagations.service';
import { readChange } from './read-change';
import { executePlan, type PlanResult } from './save/execute-plan';
import { saveChange } from './save/save-change';

/** Waits of a change; mutable, because tests change them. */
export class PropagateWait {
  /** Milliseconds for which a change waits for other work on the same records. It holds no connection meanwhile. */
  lockMilliseconds = 10_000;

  /** @param milliseconds for which a response waits for platforms that decide later */
  constructor(public milliseconds: number) {}
}

/** A change that is stored, and on which the platforms that decide at once have decided. */
interface Accepted {
  readonly propagationId: string;
  /** The answer as of the commit: platforms whose commands wait in the outbox are pending. */
  readonly answer: PropagateResult;
  /** Whether commands wait in the outbox. */
  readonly isWaiting: boolean;
  /** Platforms that refused the change at once. */
  readonly rejected: readonly PlatformName[];
}

/** Conditions of a change. If one does not hold, nothing is written. */
export interface ChangeConditions {
  /** Accepted versions of the object; undefined for any version. */
  readonly known?: KnownVersions | undefined;
  /** The only effects that are accepted, as {@link digestOfEffects} of a dry run; undefined for any effects. */
  readonly effects?: string | undefined;
}

/** Ends the transaction of a dry run, so that nothing of it stays. */
class DryRun extends Error {
  override readonly name = 'DryRun';

  constructor(readonly answer: PropagateResult) {
    super('Nothing is to be stored');
  }
}

/** Writes a change through the canonical object to every connected platform. */
@Injectable()
export class PropagateService {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    readonly connectors: Connectors,
    private readonly dispatcher: Dispatcher,
    private readonly outcomes: OutcomeWaiter,
    private readonly propagations: PropagationsService,
    private readonly history: PropagationsRepository,
    private readonly objects: CanonicalObjectsRepository,
    readonly records: PlatformRecordsRepository,
    private readonly lookups: LookupsRepository,
    private readonly metrics: Metrics,
    private readonly wait: PropagateWait,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** How the response of an idempotent change is kept. A repetition shows open outcomes as they are at that time. */
  once(
    customer: Customer,
    body: PropagateDto,
    request: RequestContext,
    conditions: ChangeConditions,
  ): Handling<PropagateResult> {
    return {
      first: (claim) => this.propagate(customer, body, request, conditions, claim),
      again: (propagationId) => this.propagations.getUnbounded(customer.id, propagationId),
      isDryRun: body.dry_run === true,
      isFinal: isSettled,
    };
  }

  /**
   * Applies a change. The canonical object, the records of platforms that decide at once, the history and the
   * commands for all other platforms are stored in one transaction. Two changes of one object run one after another.
   * The response waits a bounded time for platforms that decide later.
   *
   * @param claim stores the response, or the ID of the change, together with the change
   * @throws ApiError 404 when there is no such object; 400, 409 or 422 for an invalid change; 409 also for conditions
   *   that do not hold, and while a connect or another change locks the object for long
   */
  async propagate(
    customer: Customer,
    body: PropagateDto,
    request: RequestContext,
    conditions: ChangeConditions = {},
    claim?: Claim,
  ): Promise<PropagateResult> {
    const isDryRun = body.dry_run === true;
    try {
      const change = readChange(body);
      const accepted = await this.accept(customer.id, change, request, { ...conditions, isDryRun }, claim);
      this.logRejections(customer.id, body, request, accepted);
      const answer = accepted.isWaiting ? await this.answerLater(customer.id, accepted) : accepted.answer;
      for (const platform of platformNames) {
        const outcome = answer.propagated[platform]?.status;
        if (outcome !== undefined) this.metrics.countPropagation(platform, body.entity_type, outcome);
      }
      return answer;
    } catch (error) {
      if (error instanceof DryRun) return error.answer;
      if (!isDryRun) this.metrics.countPropagation('none', body.entity_type, 'failed');
      throw error instanceof StaleWriter
        ? await this.staleWriterError(customer.id, error)
        : asApiError(error);
    }
  }

  // The log line of a rejection has no reason, because the reason may quote written values. The dispatcher logs the
  // outcomes of its commands.
  private logRejections(
    customerId: string,
    { entity_type }: PropagateDto,
    cause: RequestContext,
    { propagationId, rejected }: Accepted,
  ): void {
    for (const platform of rejected) {
      logOf(this.logger, { customerId, platform, cause }).warn(
        { context: 'Propagate', entity_type, propagation_id: propagationId, outcome: 'rejected' },
        'write decided',
      );
    }
  }

  private accept(
    customerId: string,
    change: Change,
    request: RequestContext,
    { known, effects, isDryRun }: ChangeConditions & { readonly isDryRun: boolean },
    claim: Claim | undefined,
  ): Promise<Accepted> {
    const { history, objects } = this;
    return this.unitOfWork.runFor(
      customerId,
      async (tx) => {
        // Load. The key is locked with the first statements.
        const [context] = await Promise.all([loadContext(tx, this.lookups, change), claim?.hold(tx.store)]);
        refuseStale(context, known);
        // Plan: pure. Every refusal of a change comes from here.
        const plan = planChange(context, this.prediction(customerId, context));
        // Apply at once where the records are rows of this database. The other writes become commands.
        const propagationId = randomUUID();
        const applied = await executePlan(tx, context, plan, propagationId, this);
        const result = resultOf(context, plan.change, applied.results);
        if (isDryRun || effects !== undefined) {
          const shown = dryRunResponseOf(context, result, plan, versionNow(context));
          if (isDryRun) throw new DryRun(shown);
          if (digestOfEffects(shown) !== effects) throw hasOtherEffects();
        }
        // Save: records, history, and the commands that the outbox sends.
        if (result.changesAnything) {
          saveChange({ tx, history, objects }, context, result, applied, {
            propagationId,
            request,
            warnings: plan.warnings,
            why: change.why,
            touched: [...plan.change.values.keys(), ...plan.change.restated.keys()],
          });
        }
        const id = result.changesAnything ? propagationId : undefined;
        const answer = responseOf(context, result, id, plan.warnings, change.why);
        keepResponse(tx, applied, answer, propagationId, claim);
        return {
          propagationId,
          answer,
          isWaiting: applied.commands.some(({ status }) => status === 'waiting'),
          rejected: result.outcomes.flatMap(({ platform, status }) =>
            status === 'rejected' ? [platform] : [],
          ),
        };
      },
      { queue: queueOf(change.target), lockWaitMs: this.wait.lockMilliseconds },
    );
  }

  /** The refusal of a caller with an outdated version, with the changes since that version. */
  private async staleWriterError(
    customerId: string,
    { canonicalId, known, theirs, wanted }: StaleWriter,
  ): Promise<ApiError> {
    const base = await this.unitOfWork.runFor(customerId, (tx) => knownState(tx, canonicalId, known), {
      readOnly: true,
    });
    return new ApiError(
      'CONFLICT_ERROR',
      base === undefined
        ? 'The object has another version, and the one of If-Match is not known; read it again'
        : 'The object has changed since the version of If-Match; read it again',
      { details: { conflicts: conflictsOf(base, theirs, wanted) } },
    );
  }

  /**
   * Waits until all platforms have decided, or the wait is over, and returns the answer as of then. The response to a
   * stored change must not look like a failure. If the service is overloaded or the database is unavailable, it is the
   * answer as of the commit.
   */
  private async answerLater(
    customerId: string,
    { propagationId, answer }: Accepted,
  ): Promise<PropagateResult> {
    this.dispatcher.wake();
    try {
      await this.outcomes.waitUntilDecided(customerId, propagationId, this.wait.milliseconds);
      return await this.propagations.getUnbounded(customerId, propagationId);
    } catch (error) {
      if (!(error instanceof Overloaded || error instanceof DatabaseUnavailable)) throw error;
      logOf(this.logger, { customerId }).warn(
        { context: 'Propagate', propagation_id: propagationId, err: error },
        'answered without a look at the outcomes',
      );
      return answer;
    }
  }

  private prediction(customerId: string, context: ChangeContext): Predict {
    const { entityType } = context;
    return (platform, { variant, platformId, base, changes, referred, currencies }) =>
      this.connectors.connectorFor({ customerId, platform, mode: modeOf(context, platform) }).predict(
        {
          // A prediction depends neither on the command's ID nor on the record's version.
          id: '',
          ifMatch: null,
          customerId,
          platform,
          entityType,
          variant,
          platformId,
          changes,
          referred,
          ...currencies,
        },
        base,
        settingsOf(context, platform),
      );
  }
}

/**
 * Stores the answer under the request's idempotency key, together with the change. If commands wait or are held, it
 * stores the ID of the change instead, so that a repetition shows the outcomes as they are at that time.
 */
function keepResponse(
  tx: CustomerTransaction,
  { commands }: PlanResult,
  answer: PropagateResult,
  propagationId: string,
  claim: Claim | undefined,
): void {
  if (commands.length > 0) claim?.name(tx.store, propagationId);
  else claim?.keep(tx.store, answer);
}

function hasOtherEffects(): ApiError {
  return new ApiError(
    'CONFLICT_ERROR',
    'What would be written has changed since the proposal; propose again, and apply it with another idempotency_key',
  );
}

function queueOf(target: ChangeTarget): string {
  return target.format === 'canonical' ? target.canonicalId : `${target.platform} ${target.platformId}`;
}

const refusals: Readonly<Record<RefusalKind, ErrorType>> = {
  not_writable: 'VALIDATION_ERROR',
  conflict: 'CONFLICT_ERROR',
  untranslatable: 'TRANSFORM_ERROR',
};

function asApiError(error: unknown): unknown {
  if (error instanceof ChangeRefused) return new ApiError(refusals[error.kind], error.message);
  return asConflict(error, 'change');
}
