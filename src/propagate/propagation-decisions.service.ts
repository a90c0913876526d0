import { Injectable } from '@nestjs/common';
import { ownMember, type PlatformName } from '@app/mapper';
import { UnitOfWork } from '../database/transaction/unit-of-work';
import { ApiError } from '../common/errors/api-error';
import { isPathId } from '../common/request/path-id';
import type { Claim } from '../common/idempotency/claim';
import type { Handling } from '../common/idempotency/idempotency.service';
import { commandOutcomes } from '../outbox/command/stored/stored-commands.repository';
import { Dispatcher } from '../outbox/dispatch/dispatcher';
import { PropagationsRepository } from '../outbox/history/propagations.repository';
import { OutboxOperations, type Alongside } from '../outbox/operator/outbox-operations';
import { asConflict } from '../records/lock-conflict';
import { isSettled, type PropagateResult } from './propagate.response';
import type { PropagationDecisionDto } from './propagations.dto';
import { found, noSuchChange, PropagationsService } from './propagations.service';

/**
 * Decisions of a customer's people about writes that wait or are held. They have the effects of the operator commands
 * `outbox retry` and `outbox discard`.
 */
@Injectable()
export class PropagationDecisions {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly outbox: OutboxOperations,
    private readonly propagations: PropagationsService,
    private readonly changes: PropagationsRepository,
    private readonly dispatcher: Dispatcher,
  ) {}

  /** How a request for a decision is handled. A repetition shows the change as it is at that time. */
  once(customerId: string, id: string, body: PropagationDecisionDto): Handling<PropagateResult> {
    return {
      first: (claim) => this.decide(customerId, id, body, claim),
      again: (propagationId) => this.propagations.getUnbounded(customerId, propagationId),
      isFinal: isSettled,
      // Whether a decision can be made depends on the moment.
      keepsRefusals: false,
    };
  }

  /**
   * Decides about the write of a change to one platform.
   *
   * @returns the change as it is after the decision
   * @throws ApiError NOT_FOUND when the customer has made no such change; CONFLICT_ERROR when the write is decided or
   *   being sent, or other work on the object does not end in time
   */
  async decide(
    customerId: string,
    id: string,
    { platform, action, reason, decided_by: decidedBy }: PropagationDecisionDto,
    claim?: Claim,
  ): Promise<PropagateResult> {
    const propagationId = id.toLowerCase();
    const command = await this.commandOf(customerId, propagationId, platform);
    let change: PropagateResult | undefined;
    const alongside: Alongside = {
      begun: async (store) => claim?.hold(store),
      // Read in the transaction of the decision: a read after the commit may fail for want of memory, and then the
      // response would say that a stored decision had failed.
      ended: async (tx) => {
        claim?.name(tx.store, propagationId);
        change = await this.propagations.findIn(tx, propagationId);
      },
    };
    const why = { reason, decidedBy };
    try {
      if (action === 'retry') await this.outbox.retry(command, why, false, alongside);
      else await this.outbox.discard(command, why, alongside);
    } catch (error) {
      throw asConflict(error, 'decision');
    }
    this.dispatcher.wake();
    return found(change);
  }

  private commandOf(customerId: string, id: string, platform: PlatformName): Promise<string> {
    if (!isPathId(id)) throw noSuchChange();
    return this.unitOfWork.runFor(
      customerId,
      async (tx) => {
        const change = await this.changes.find(tx, id);
        if (change === undefined) throw noSuchChange();
        const command = (await commandOutcomes(tx, [id])).find((one) => one.platform === platform);
        if (command !== undefined) return command.id;
        const isKnown = ownMember(change.outcome, platform) !== undefined;
        throw new ApiError(
          'CONFLICT_ERROR',
          isKnown ? `The write to ${platform} is decided` : `The change has no write to ${platform}`,
        );
      },
      { readOnly: true },
    );
  }
}
