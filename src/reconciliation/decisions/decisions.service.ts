import { Injectable } from '@nestjs/common';
import { getCustomer } from '../../auth/customers.service';
import { isLockFailure } from '../../database/database-errors';
import type { Store } from '../../database/store';
import { UnitOfWork } from '../../database/unit-of-work';
import { ApiError } from '../../errors/api-error';
import { decide, withdraw, type Decided, type NewDecision } from './decide';
import { decisionsPage, listedOf, type DecisionFilter, type ListedDecision } from './decisions.repository';

/** Milliseconds that a decision waits for other work of the customer. It holds no connection while it waits. */
const LOCK_PATIENCE_MS = 10_000;

/** A page of decisions, the latest first. */
export interface DecisionPage {
  readonly decisions: readonly ListedDecision[];
  /** Whether there are more behind them. */
  readonly more: boolean;
}

/** What became of a decision that was only tried. */
class Tried extends Error {
  constructor(readonly decided: Decided) {
    super('A decision was tried, and nothing is kept');
  }
}

/** Keeps the answer to a decision in the transaction of the decision. */
export interface DecisionKeeping {
  /** @throws when the answer is somebody else's to keep; nothing of the decision stays then */
  hold(store: Store): Promise<void>;
  keep(store: Store, decided: Decided): void;
}

/** Decisions by people about which records are one. */
@Injectable()
export class MatchingDecisions {
  constructor(private readonly unitOfWork: UnitOfWork) {}

  /**
   * Makes a decision. It takes effect at once, and before any rule from then on.
   *
   * @param dryRun answers what would come of it; nothing is written
   * @throws ApiError as {@link decide} does; CONFLICT_ERROR also while other work of the customer takes long
   */
  make(customerId: string, wanted: NewDecision, dryRun = false, keeping?: DecisionKeeping): Promise<Decided> {
    return this.apply(customerId, dryRun, async (store) => {
      const decided = await decide(store, customerId, wanted);
      if (keeping !== undefined && !dryRun) {
        // Behind the lock of the customer, which the decision has taken.
        await keeping.hold(store);
        keeping.keep(store, decided);
      }
      return decided;
    });
  }

  /** Withdraws a decision. @throws ApiError as {@link withdraw} does; CONFLICT_ERROR also as {@link make} does */
  withdraw(
    customerId: string,
    id: string,
    why: { readonly reason: string; readonly decidedBy: string },
    dryRun = false,
  ): Promise<Decided> {
    return this.apply(customerId, dryRun, (store) => withdraw(store, customerId, id, why));
  }

  /** Decisions of a customer, standing or not. */
  async page(customerId: string, filter: DecisionFilter): Promise<DecisionPage> {
    const { sql, parameters } = decisionsPage(customerId, { ...filter, limit: filter.limit + 1 });
    const rows = await this.unitOfWork.read(sql, parameters, { customerId });
    return { decisions: rows.slice(0, filter.limit).map(listedOf), more: rows.length > filter.limit };
  }

  /**
   * Every decision of a customer, page by page, the latest first.
   *
   * @throws ApiError NOT_FOUND without such a customer, before the first page
   */
  async *list(
    customerId: string,
    filter: Omit<DecisionFilter, 'before' | 'limit'> = {},
  ): AsyncGenerator<readonly ListedDecision[], void, undefined> {
    await this.unitOfWork.run((store) => getCustomer(store, customerId), { readOnly: true, customerId });
    let before: DecisionFilter['before'];
    for (;;) {
      const page: DecisionPage = await this.page(customerId, { ...filter, before, limit: PAGE });
      yield page.decisions;
      const last = page.decisions.at(-1);
      if (!page.more || last === undefined) return;
      before = { at: last.at, id: last.decision.id };
    }
  }

  private async apply(
    customerId: string,
    dryRun: boolean,
    work: (store: Store) => Promise<Decided>,
  ): Promise<Decided> {
    try {
      return await this.unitOfWork.run(
        async (store) => {
          const decided = await work(store);
          // What a try has written goes with its transaction.
          if (dryRun) throw new Tried(decided);
          return decided;
        },
        { patience: 'bulk', customerId, lockPatienceMs: LOCK_PATIENCE_MS },
      );
    } catch (error) {
      if (error instanceof Tried) return error.decided;
      if (!isLockFailure(error)) throw error;
      throw new ApiError(
        'CONFLICT_ERROR',
        'Other work on the customer’s records is under way; try again when it is done',
        { cause: error },
      );
    }
  }
}

/** Decisions that are read at a time. */
const PAGE = 500;
