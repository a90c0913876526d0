import type { CustomerTransaction } from '../../database/transaction/store';
import { Injectable } from '@nestjs/common';
import { getCustomer } from '../../auth/customers/customers.repository';
import { asConflict } from '../../records/lock-conflict';
import { UnitOfWork } from '../../database/transaction/unit-of-work';
import { settledTime } from '../../records/history/settled-time.repository';
import { decide, withdraw, type TransactionHooks, type Decided, type NewDecision } from './decide';
import {
  DecisionsRepository,
  type DecisionCount,
  type DecisionFilter,
  type DecisionPageQuery,
  type ListedDecision,
} from './decisions.repository';

/** Milliseconds that a decision waits for other work of the customer. It holds no connection while it waits. */
const LOCK_WAIT_MS = 10_000;

/** A page of decisions, the latest first. */
export interface DecisionPage {
  readonly decisions: readonly ListedDecision[];
  /** Whether there are further decisions after the page. */
  readonly more: boolean;
}

/** Every decision of a list at one moment, page by page, and how many there were. */
export interface DecisionPages {
  /** In UTC, with microseconds. */
  readonly asOf: string;
  readonly counts: readonly DecisionCount[];
  readonly pages: AsyncIterable<readonly ListedDecision[]>;
}

/** Rolls back a dry run and carries its effects. */
class Tried extends Error {
  constructor(readonly decided: Decided) {
    super('A decision was tried, and nothing is kept');
  }
}

/** Decisions by people about which records are one. */
@Injectable()
export class MatchingDecisions {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly decisions: DecisionsRepository,
  ) {}

  /**
   * Makes a decision. It takes effect at once, and before any rule from then on.
   *
   * @param dryRun whether to return the effects that the decision would have, and to write nothing
   * @param alongside goes with the decision, in its transaction; a dry run ends without its end
   * @throws ApiError as {@link decide} does; CONFLICT_ERROR also while other work of the customer takes long
   */
  make(
    customerId: string,
    wanted: NewDecision,
    dryRun = false,
    alongside?: TransactionHooks,
  ): Promise<Decided> {
    return this.apply(customerId, dryRun, alongside, (tx, begun) =>
      decide(tx, this.decisions, wanted, begun),
    );
  }

  /**
   * Withdraws a decision.
   *
   * @param alongside as of {@link make}
   * @throws ApiError as {@link withdraw} does; CONFLICT_ERROR also as {@link make} does
   */
  withdraw(
    customerId: string,
    id: string,
    why: { readonly reason: string; readonly decidedBy: string },
    dryRun = false,
    alongside?: TransactionHooks,
  ): Promise<Decided> {
    return this.apply(customerId, dryRun, alongside, (tx, begun) =>
      withdraw(tx, this.decisions, id, why, begun),
    );
  }

  /** Decisions of a customer, standing or not. */
  async page(customerId: string, query: DecisionPageQuery): Promise<DecisionPage> {
    const { limit } = query;
    const found = await this.decisions.page(this.unitOfWork, customerId, { ...query, limit: limit + 1 });
    return { decisions: found.slice(0, limit), more: found.length > limit };
  }

  /**
   * Every decision of a customer, page by page, the latest first.
   *
   * @throws ApiError NOT_FOUND without such a customer, before the first page
   */
  async *list(
    customerId: string,
    filter: DecisionFilter = {},
  ): AsyncGenerator<readonly ListedDecision[], void, undefined> {
    await this.unitOfWork.runFor(customerId, (tx) => getCustomer(tx), { readOnly: true });
    yield* this.pages(customerId, filter);
  }

  /** Every decision of a customer with counts. Each page is a short read of its own, and all of them show one moment. */
  async all(customerId: string, filter: DecisionFilter = {}): Promise<DecisionPages> {
    const asOf = await this.unitOfWork.runFor(customerId, settledTime, { readOnly: true });
    const counts = await this.unitOfWork.runFor(customerId, (tx) => this.decisions.count(tx, filter, asOf), {
      readOnly: true,
    });
    return { asOf, counts, pages: this.pages(customerId, { ...filter, asOf }) };
  }

  private async *pages(
    customerId: string,
    filter: Omit<DecisionPageQuery, 'before' | 'limit'>,
  ): AsyncGenerator<readonly ListedDecision[], void, undefined> {
    let before: DecisionPageQuery['before'];
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
    alongside: TransactionHooks | undefined,
    work: (tx: CustomerTransaction, begun: TransactionHooks['begun'] | undefined) => Promise<Decided>,
  ): Promise<Decided> {
    try {
      return await this.unitOfWork.runFor(
        customerId,
        async (tx) => {
          const decided = await work(tx, alongside && ((own) => alongside.begun(own)));
          // Rolling back removes what the dry run has written.
          if (dryRun) throw new Tried(decided);
          alongside?.ended(tx.store, decided);
          return decided;
        },
        { deadlines: 'bulk', lockWaitMs: LOCK_WAIT_MS },
      );
    } catch (error) {
      if (error instanceof Tried) return error.decided;
      throw asConflict(error, 'decision');
    }
  }
}

/** Decisions that are read at a time. */
const PAGE = 500;
