import { Injectable } from '@nestjs/common';
import { databaseTime } from '../../database/transaction/database-time';
import { UnitOfWork } from '../../database/transaction/unit-of-work';
import { EventLoopScheduler } from '../../runtime/fairness/event-loop-scheduler';
import { noteEventsAt } from '../../records/events/events.repository';
import { RecurringBooks } from '../statement/recurring-books';
import type { StatementQuery } from '../statement/statement.dto';
import { StatementService } from '../statement/statement.service';
import { signoffOutdated } from './signoff-events';
import { changesBetween, signedFigures, type FigureChange, type SignedFigure } from './signed-figures';
import { SignoffsRepository } from './signoffs.repository';
import type { SignedScope, StoredSignoff } from './stored-signoff';

/** Sign-offs whose figures are in memory at a time. */
const READ_AT_A_TIME = 20;

/** The present figures of a scope. */
export interface PresentFigures {
  readonly asOf: string;
  readonly complete: boolean;
  readonly figures: readonly SignedFigure[];
}

/** What has become of signed figures. */
export interface Compared extends Omit<PresentFigures, 'figures'> {
  readonly changes: readonly FigureChange[];
}

/** Compares signed figures with the statement of the same documents as it is known now. */
@Injectable()
export class SignoffComparison {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly statements: StatementService,
    private readonly recurring: RecurringBooks,
    private readonly eventLoop: EventLoopScheduler,
    private readonly signoffs: SignoffsRepository,
  ) {}

  /**
   * What has become of the figures of sign-offs. Reads the present figures of each scope among those that stand.
   *
   * @param gone ends the work when the client disconnects
   * @returns by ID; nothing for a sign-off that is withdrawn
   */
  async compare(
    customerId: string,
    signoffs: readonly StoredSignoff[],
    gone: AbortSignal,
  ): Promise<ReadonlyMap<string, Compared>> {
    const standing = signoffs.filter(isStanding);
    const scopes = new Map(standing.map((one): [string, SignedScope] => [scopeKey(one), one]));
    if (scopes.size > 0) await this.statements.follow(customerId);
    const present = await this.presentOf(customerId, scopes, gone);
    const compared = new Map<string, Compared>();
    for (let place = 0; place < standing.length; place += READ_AT_A_TIME) {
      gone.throwIfAborted();
      const some = standing.slice(place, place + READ_AT_A_TIME);
      const signed = await this.figuresOf(
        customerId,
        some.map(({ id }) => id),
      );
      for (const one of some) {
        const [figures, now] = [signed.get(one.id), present.get(scopeKey(one))];
        if (figures !== undefined && now !== undefined) compared.set(one.id, comparedWith(figures, now));
      }
    }
    for (const one of signoffs) await this.tell(customerId, one, compared.get(one.id));
    return compared;
  }

  /**
   * Stores one event when the figures of a sign-off have changed. If the figures return to the signed ones, the next
   * change causes an event again.
   */
  private async tell(
    customerId: string,
    signoff: StoredSignoff,
    compared: Compared | undefined,
  ): Promise<void> {
    if (compared?.complete !== true) return;
    const isOutdated = compared.changes.length > 0;
    if (isOutdated === signoff.isOutdated) return;
    await this.unitOfWork.runFor(customerId, async (tx) => {
      const isNew = await this.signoffs.markOutdated(tx, signoff.id, isOutdated);
      if (isNew && isOutdated)
        noteEventsAt(tx, await databaseTime(tx.store), [signoffOutdated(signoff, compared)]);
    });
  }

  /**
   * The present figures of scopes, from the stored comparisons.
   *
   * @param scopes by any key
   * @param gone ends the work when the client disconnects
   * @returns the figures by the same keys
   */
  async presentOf<Key>(
    customerId: string,
    scopes: ReadonlyMap<Key, SignedScope>,
    gone: AbortSignal,
  ): Promise<ReadonlyMap<Key, PresentFigures>> {
    const queries = new Map([...scopes].map(([key, scope]): [Key, StatementQuery] => [key, queryOf(scope)]));
    const books = await this.recurring.read(customerId, [...queries.values()], gone);
    const present = new Map<Key, PresentFigures>();
    for (const [key, query] of queries) {
      const own = books.get(query);
      if (own === undefined) continue;
      await this.eventLoop.waitToContinue(customerId);
      const { asOf, reasons } = own;
      present.set(key, { asOf, complete: reasons.length === 0, figures: signedFigures(own) });
    }
    return present;
  }

  /** The figures that were signed, by ID. */
  figuresOf(
    customerId: string,
    ids: readonly string[],
  ): Promise<ReadonlyMap<string, readonly SignedFigure[]>> {
    return this.unitOfWork.runFor(customerId, (tx) => this.signoffs.figuresOf(tx, ids), { readOnly: true });
  }
}

/** Signed figures beside the present ones. Pure. */
export function comparedWith(
  signed: readonly SignedFigure[],
  { figures, ...present }: PresentFigures,
): Compared {
  return { ...present, changes: changesBetween(signed, figures) };
}

/**
 * The sign-offs at the begin of a list whose comparison needs no more statements than some. Pure.
 *
 * @param most statements
 */
export function withinStatements(signoffs: readonly StoredSignoff[], most: number): readonly StoredSignoff[] {
  const scopes = new Set<string>();
  const end = signoffs.findIndex((one) => isStanding(one) && scopes.add(scopeKey(one)).size > most);
  return end === -1 ? signoffs : signoffs.slice(0, end);
}

function isStanding({ withdrawn }: StoredSignoff): boolean {
  return withdrawn === null;
}

function scopeKey({ platforms, entityType, projectId, currency, through }: SignedScope): string {
  return JSON.stringify([platforms, entityType, projectId, currency, through]);
}

function queryOf({ platforms, entityType, projectId, currency, through }: SignedScope): StatementQuery {
  return {
    platforms: platforms.join(','),
    currency,
    ...(entityType !== null && { entity_type: entityType }),
    ...(projectId !== null && { project_id: projectId }),
    ...(through !== null && { through }),
  };
}
