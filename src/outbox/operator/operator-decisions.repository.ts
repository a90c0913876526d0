import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Any, type Repository } from 'typeorm';
import { OutboxDecisionRow } from '../../database/entities/outbox-decision.entity';
import { randomUUID } from 'node:crypto';
import type { CustomerTransaction } from '../../database/transaction/store';

/**
 * A decision of a person about a command: `retry` settles it before it is sent again if it may have been sent,
 * `send_again` sends it without settling, `discard` ends it.
 */
export type OperatorAction = 'retry' | 'send_again' | 'discard';

/** A decision about a command, with its reason and its time. */
export interface OperatorDecision {
  readonly commandId: string;
  readonly action: OperatorAction;
  readonly reason: string;
  /** Null where no name was given. */
  readonly decidedBy: string | null;
  readonly madeAt: Date;
}

/** The table of operators' decisions about commands. */
@Injectable()
export class OperatorDecisionsRepository {
  constructor(@InjectRepository(OutboxDecisionRow) private readonly rows: Repository<OutboxDecisionRow>) {}

  /** Stores a decision. Its time is the database's. */
  async insert(
    tx: CustomerTransaction,
    { commandId, action, reason, decidedBy }: Omit<OperatorDecision, 'madeAt'>,
  ): Promise<void> {
    await tx.store.manager
      .withRepository(this.rows)
      .insert({ customerId: tx.customerId, id: randomUUID(), commandId, action, reason, decidedBy });
  }

  /** Decisions about some commands, oldest first. */
  async about(tx: CustomerTransaction, commandIds: readonly string[]): Promise<readonly OperatorDecision[]> {
    if (commandIds.length === 0) return [];
    return tx.store.manager.withRepository(this.rows).find({
      where: { customerId: tx.customerId, commandId: Any(commandIds) },
      order: { madeAt: 'ASC' },
    });
  }

  /** Deletes decisions that were made before a time about commands that are deleted. */
  async deleteOld(tx: CustomerTransaction, oldest: Date): Promise<void> {
    await tx.query(
      `delete from outbox_decisions d where d.customer_id = $1 and d.made_at < $2
         and not exists (select 1 from outbox_commands c where c.customer_id = $1 and c.id = d.command_id)`,
      [oldest],
    );
  }
}
