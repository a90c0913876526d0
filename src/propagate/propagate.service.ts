import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { platformNames } from '@app/mapper';
import type { Customer } from '../auth/customer';
import { Connectors } from '../connectors/registry';
import { isLockFailure } from '../database/database-errors';
import { UnitOfWork } from '../database/unit-of-work';
import { ApiError, type ErrorType } from '../errors/api-error';
import { Metrics } from '../metrics/metrics';
import { Decisions } from '../outbox/decisions';
import { Dispatcher } from '../outbox/dispatcher';
import { answerOf } from './answer';
import { loadContext } from './load/load-context';
import type { Change, ChangeTarget } from './plan/change';
import { modeOf, type ChangeContext } from './plan/change-context';
import { planChange, type Predict } from './plan/change-plan';
import { resultOf, type ChangeResult } from './plan/change-result';
import { ChangeRefused, type RefusalKind } from './plan/refusal';
import type { ChangeWarning } from './plan/rules/broken-rule';
import type { PropagateResult } from './propagate.answer';
import type { PropagateDto } from './propagate.dto';
import { PropagationsService } from './propagations.service';
import { readChange } from './read-change';
import { carryOut } from './save/carry-out';
import { saveChange } from './save/save-change';

/** How long answers wait for platforms that do not decide at once; a test changes it. */
export class PropagateWait {
  constructor(public milliseconds: number) {}
}

/** Milliseconds that a change waits for other work on the same records. It holds no connection while it waits. */
const LOCK_PATIENCE_MS = 10_000;

/** A change that was accepted: stored, and sent as far as that needs nobody else. */
interface Accepted {
  readonly propagationId: string;
  readonly context: ChangeContext;
  readonly result: ChangeResult;
  readonly warnings: readonly ChangeWarning[];
  /** Whether writes wait in the outbox. */
  readonly isOpen: boolean;
}

/** Writes a change through the canonical object to every connected platform. */
@Injectable()
export class PropagateService {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly connectors: Connectors,
    private readonly dispatcher: Dispatcher,
    private readonly decisions: Decisions,
    private readonly propagations: PropagationsService,
    private readonly metrics: Metrics,
    private readonly wait: PropagateWait,
  ) {}

  /**
   * Applies a change. The canonical object, the records of platforms that decide at once, the history and the commands
   * for all other platforms are stored in one transaction, or nothing is. Two changes of one object follow one another.
   * The answer waits a bounded time for platforms that take longer.
   *
   * @throws ApiError 404 when there is no such object; 400, 409 or 422 for a change that cannot be made; 409 also while a
   *   connect or another change keeps the object for long
   */
  async propagate(customer: Customer, body: PropagateDto, requestId: string): Promise<PropagateResult> {
    try {
      const accepted = await this.accept(customer.id, readChange(body), requestId);
      const { propagationId, context, result, warnings, isOpen } = accepted;
      const answer = isOpen
        ? await this.decided(customer.id, propagationId)
        : answerOf(context, result, result.changesAnything ? propagationId : undefined, warnings);
      for (const platform of platformNames) {
        const outcome = answer.propagated[platform]?.status;
        if (outcome !== undefined) this.metrics.countPropagation(platform, body.entity_type, outcome);
      }
      return answer;
    } catch (error) {
      this.metrics.countPropagation('none', body.entity_type, 'failed');
      throw asAnswered(error);
    }
  }

  private accept(customerId: string, change: Change, requestId: string): Promise<Accepted> {
    return this.unitOfWork.run(
      async (store) => {
        const context = await loadContext(store, customerId, change);
        const propagationId = randomUUID();
        const plan = planChange(context, this.prediction(customerId, context));
        const carriedOut = await carryOut(store, customerId, context, plan, propagationId, this.connectors);
        const result = resultOf(context, plan.change, carriedOut.results);
        if (result.changesAnything) {
          saveChange(store, customerId, context, result, carriedOut, {
            propagationId,
            requestId,
            warnings: plan.warnings,
            touched: [...plan.change.values.keys(), ...plan.change.restated.keys()],
          });
        }
        const isOpen = carriedOut.commands.some(({ status }) => status === 'waiting');
        return { propagationId, context, result, warnings: plan.warnings, isOpen };
      },
      { customerId, queue: queueOf(change.target), lockPatienceMs: LOCK_PATIENCE_MS },
    );
  }

  private async decided(customerId: string, propagationId: string): Promise<PropagateResult> {
    this.dispatcher.wake();
    await this.decisions.settled(customerId, propagationId, this.wait.milliseconds);
    return this.propagations.get(customerId, propagationId);
  }

  private prediction(customerId: string, context: ChangeContext): Predict {
    const { entityType } = context;
    return (platform, { variant, platformId, base, changes, referred }) =>
      this.connectors.connectorFor({ customerId, platform, mode: modeOf(context, platform) }).predict(
        // A forecast depends neither on the command nor on the change that it belongs to.
        { id: '', customerId, platform, entityType, variant, platformId, ifMatch: null, changes, referred },
        base,
      );
  }
}

function queueOf(target: ChangeTarget): string {
  return target.format === 'canonical' ? target.canonicalId : `${target.platform} ${target.platformId}`;
}

const refusals: Readonly<Record<RefusalKind, ErrorType>> = {
  not_writable: 'VALIDATION_ERROR',
  conflict: 'CONFLICT_ERROR',
  untranslatable: 'TRANSFORM_ERROR',
};

function asAnswered(error: unknown): unknown {
  if (error instanceof ChangeRefused) return new ApiError(refusals[error.kind], error.message);
  if (!isLockFailure(error)) return error;
  return new ApiError(
    'CONFLICT_ERROR',
    'Other work on these records is under way; try again when it is done',
    { cause: error },
  );
}
