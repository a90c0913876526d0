import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { IsNull, type Repository } from 'typeorm';
import { CustomerTermRow } from '../../database/entities/customer-term.entity';
import { reasonColumns, type StoredReason, type TermReason } from './term-reason';
import type { CustomerTransaction } from '../../database/transaction/store';

/** The stored agreement about one field or rule. */
export interface Agreement extends StoredReason {
  readonly name: string;
  readonly value: unknown;
  readonly since: Date;
}

/** The table of agreed terms, except rates. A term applies from its start until its end. */
@Injectable()
export class CustomerTermsRepository {
  constructor(@InjectRepository(CustomerTermRow) private readonly rows: Repository<CustomerTermRow>) {}

  /** The terms in force for the customer, by name. */
  list(tx: CustomerTransaction, kind: CustomerTermRow['kind']): Promise<readonly Agreement[]> {
    return tx.store.manager.withRepository(this.rows).find({
      select: { name: true, value: true, since: true, reason: true, decidedBy: true },
      where: { customerId: tx.customerId, kind, until: IsNull() },
      order: { name: 'ASC' },
    });
  }

  // Times are text with microseconds here; an entity's Date would lose them.
  /** @param at the database's text of the time from which the term applies */
  async insert(
    tx: CustomerTransaction,
    { kind, name, value }: Pick<CustomerTermRow, 'kind' | 'name' | 'value'>,
    why: TermReason,
    at: string,
  ): Promise<Agreement> {
    const { reason, decidedBy } = reasonColumns(why);
    const [row] = await tx.query<{ since: Date }>(
      `insert into customer_terms (customer_id, kind, name, value, reason, decided_by, since)
       values ($1, $2, $3, $4, $5, $6, $7) returning since`,
      [kind, name, JSON.stringify(value), reason, decidedBy, at],
    );
    if (row === undefined) throw new Error('A term was not stored');
    return { name, value, since: row.since, reason, decidedBy };
  }

  /** Ends the term in force under a name. @returns whether there was anything */
  async end(
    tx: CustomerTransaction,
    kind: CustomerTermRow['kind'],
    name: string,
    at: string,
  ): Promise<boolean> {
    const ended = await tx.query(
      `update customer_terms set until = $4
       where customer_id = $1 and kind = $2 and name = $3 and until is null returning true as ended`,
      [kind, name, at],
    );
    return ended.length > 0;
  }
}
