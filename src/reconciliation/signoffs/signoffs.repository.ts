import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Any, IsNull, type Repository } from 'typeorm';
import { StatementSignoffRow } from '../../database/entities/statement-signoff.entity';
import { ForbiddenTransition } from '../../database/state-machine';
import type { CustomerTransaction } from '../../database/transaction/store';
import type { SignedFigure } from './signed-figures';
import { signoffStates } from './signoff-states';
import type { SignoffRole, StoredSignoff, Withdrawal } from './stored-signoff';

/** Which sign-offs are listed. */
export interface SignoffFilter {
  readonly state?: 'standing' | 'withdrawn' | undefined;
  readonly role?: SignoffRole | undefined;
}

/** A page of a list. */
export interface SignoffPage {
  readonly limit: number;
  /** A position: sign-offs older than this one. */
  readonly before?: { readonly at: string; readonly id: string } | undefined;
  /** A time, in UTC with microseconds: sign-offs as they were then; now unless given. */
  readonly asOf?: string | undefined;
}

/** The table of sign-offs. */
@Injectable()
export class SignoffsRepository {
  constructor(
    @InjectRepository(StatementSignoffRow) private readonly rows: Repository<StatementSignoffRow>,
  ) {}

  /**
   * Locks the standing sign-offs of a digest, in a fixed order, and reads them. A caller that had to wait for the lock
   * sees the rows that the previous holder has written.
   */
  async lockStanding(tx: CustomerTransaction, digest: string): Promise<readonly StoredSignoff[]> {
    await tx.query(
      `select s.id from statement_signoffs s
       where s.customer_id = $1 and s.digest = $2 and s.${signoffStates.shownBy.standing} order by s.id for update`,
      [digest],
    );
    // A row that was written while the lock was awaited is in no earlier snapshot.
    const rows = await this.bound(tx).find({
      where: { customerId: tx.customerId, digest, withdrawnTime: IsNull() },
      order: { signedTime: 'ASC', id: 'ASC' },
    });
    return rows.map((row) => signoffOf(row));
  }

  /**
   * Stores a sign-off with its figures.
   *
   * @returns false if a standing sign-off of the digest has the name already
   */
  async insert(
    tx: CustomerTransaction,
    { platforms: [leftPlatform, rightPlatform], asOf, signedAt, ...values }: Omit<StoredSignoff, 'withdrawn'>,
    figures: readonly SignedFigure[],
  ): Promise<boolean> {
    const stored = await this.bound(tx)
      .createQueryBuilder()
      .insert()
      .values({
        ...values,
        customerId: tx.customerId,
        leftPlatform,
        rightPlatform,
        figures: figures.map((figure) => ({ ...figure, amount: figure.amount?.toString() ?? null })),
        asOfTime: () => ':asOf',
        signedTime: () => ':signedAt',
      })
      .setParameters({ asOf, signedAt })
      .orIgnore()
      .returning('id')
      .execute();
    const returned: unknown = stored.raw;
    return Array.isArray(returned) && returned.length > 0;
  }

  /**
   * Ends a sign-off, and keeps it.
   *
   * @throws ForbiddenTransition when it is withdrawn already
   */
  async withdraw(tx: CustomerTransaction, id: string, { at, reason, by }: Withdrawal): Promise<void> {
    const { affected } = await this.bound(tx)
      .createQueryBuilder()
      .update({ withdrawnTime: () => ':at', withdrawnReason: reason, withdrawnBy: by })
      .setParameters({ at })
      .where({ customerId: tx.customerId, id })
      .andWhere(signoffStates.before('withdrawn'))
      .execute();
    if (affected !== 1) throw new ForbiddenTransition(`Sign-off ${id}`, 'withdrawn');
  }

  /**
   * Stores whether the figures of a standing sign-off were found to have changed.
   *
   * @returns false if that is known already
   */
  async markOutdated(tx: CustomerTransaction, id: string, isOutdated: boolean): Promise<boolean> {
    const { affected } = await this.bound(tx)
      .createQueryBuilder()
      .update({ isOutdated })
      .where({ customerId: tx.customerId, id, isOutdated: !isOutdated })
      .andWhere(signoffStates.shownBy.standing)
      .execute();
    return affected === 1;
  }

  /** A sign-off by its ID. */
  async find(tx: CustomerTransaction, id: string): Promise<StoredSignoff | undefined> {
    const row = await this.bound(tx).findOneBy({ customerId: tx.customerId, id });
    return row === null ? undefined : signoffOf(row);
  }

  /** A page of sign-offs, the latest first. */
  async page(
    tx: CustomerTransaction,
    { state, role }: SignoffFilter,
    { limit, before, asOf = 'infinity' }: SignoffPage,
  ): Promise<readonly StoredSignoff[]> {
    const query = this.bound(tx)
      .createQueryBuilder('s')
      .where({ customerId: tx.customerId, ...(role !== undefined && { role }) })
      .andWhere('s.signedTime <= :asOf::timestamptz', { asOf })
      .orderBy('s.signedTime', 'DESC')
      .addOrderBy('s.id', 'DESC')
      .limit(limit);
    if (state !== undefined)
      query.andWhere(`(s.withdrawnTime <= :asOf::timestamptz) is ${state === 'standing' ? 'not ' : ''}true`);
    if (before !== undefined) query.andWhere('(s.signedTime, s.id) < (:at::timestamptz, :id::uuid)', before);
    return (await query.getMany()).map((row) => signoffOf(row, asOf));
  }

  /** The signed figures of some sign-offs, by ID, in the order of their statements. */
  async figuresOf(
    tx: CustomerTransaction,
    ids: readonly string[],
  ): Promise<ReadonlyMap<string, readonly SignedFigure[]>> {
    const rows = await this.bound(tx).find({
      select: { id: true, figures: true },
      where: { customerId: tx.customerId, id: Any(ids) },
    });
    return new Map(rows.map(({ id, figures }) => [id, figures.map(figureOf)]));
  }

  private bound(tx: CustomerTransaction): Repository<StatementSignoffRow> {
    return tx.store.manager.withRepository(this.rows);
  }
}

/** A row as a sign-off. @param asOf the time that shows it; later, it may have been withdrawn */
function signoffOf(row: StatementSignoffRow, asOf = 'infinity'): StoredSignoff {
  const { leftPlatform, rightPlatform, withdrawnAt: at, withdrawnReason, withdrawnBy, ...signoff } = row;
  return {
    ...signoff,
    platforms: [leftPlatform, rightPlatform],
    withdrawn: at === null || at > asOf ? null : { at, reason: withdrawnReason ?? '', by: withdrawnBy ?? '' },
  };
}

function figureOf({ amount, ...figure }: StatementSignoffRow['figures'][number]): SignedFigure {
  return { ...figure, amount: amount === null ? null : BigInt(amount) };
}
