import { Inject, Injectable } from '@nestjs/common';
import type { CustomerTransaction } from '../../database/transaction/store';
import { UnitOfWork } from '../../database/transaction/unit-of-work';
import { ENVIRONMENT, type Environment } from '../../runtime/config/environment';
import type { StatementScope } from './figures/tallies.repository';
import { KeptTallies, type ReadScopes } from './kept-tallies';
import { atPresent, booksOf, type PresentMoment } from './present-moment';
import { projectOnceNamed } from './projects.repository';
import { scopeOf } from './statement-scope';
import type { StatementQuery } from './statement.dto';
import type { StatementBooks } from './statement-record';

/** The data of some queries from one snapshot. */
interface ReadBooks {
  readonly moment: PresentMoment;
  readonly scopes: ReadonlyMap<StatementQuery, StatementScope>;
  readonly read: ReadScopes;
}

/** The present books of scopes that are read again and again. */
@Injectable()
export class RecurringBooks {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly kept: KeptTallies,
    @Inject(ENVIRONMENT) private readonly environment: Pick<Environment, 'defaultCurrency'>,
  ) {}

  /**
   * The books from the stored comparisons, without ages and deleted records, which no sign-off binds. The results are
   * stored, so that the next call takes time in proportion to the changes since. All scopes with stored tallies are
   * read in one snapshot. Each other scope has a snapshot of its own, so that its result is kept if the next scope
   * fails.
   *
   * @param gone ends the work when the client disconnects
   */
  async read<Query extends StatementQuery>(
    customerId: string,
    queries: readonly Query[],
    gone: AbortSignal,
  ): Promise<ReadonlyMap<Query, StatementBooks>> {
    const books = new Map<Query, StatementBooks>();
    for (;;) {
      const left = queries.filter((query) => !books.has(query));
      if (left.length === 0) return books;
      gone.throwIfAborted();
      const { moment, scopes, read } = await atPresent(this.unitOfWork, customerId, (tx, present) =>
        this.readTogether(tx, present, left),
      );
      const tallies = await this.kept.tallies(customerId, read);
      for (const query of left) {
        const scope = scopes.get(query);
        const own = scope && tallies.get(scope);
        if (scope !== undefined && own !== undefined)
          books.set(query, booksOf(moment, scope, own, new Map()));
      }
    }
  }

  private async readTogether(
    tx: CustomerTransaction,
    moment: PresentMoment,
    queries: readonly StatementQuery[],
  ): Promise<ReadBooks> {
    const { asOf, known, comparing } = moment;
    const projects = await Promise.all(queries.map(({ project_id: id }) => projectOnceNamed(tx, id)));
    const scopes = new Map(
      queries.map((query, place): [StatementQuery, StatementScope] => {
        return [query, scopeOf(query, known, projects[place], this.environment.defaultCurrency)];
      }),
    );
    const hasFollowed = comparing === undefined;
    const read = await this.kept.read(tx, [...scopes.values()], { asOf, known, hasFollowed });
    return { moment, scopes, read };
  }
}
