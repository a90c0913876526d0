import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { CustomerRow } from './customer.entity';

/** An operator's decision about a command of the outbox, and its reason. */
@Entity('outbox_decisions')
@Index('ix_outbox_decisions_command', ['customerId', 'commandId', 'madeAt'])
@Check('ck_outbox_decisions_action', `"action" in ('retry', 'send_again', 'discard')`)
@ForeignKey(() => CustomerRow, ['customerId'], ['id'], {
  name: 'fk_outbox_decisions_customer',
  onDelete: 'CASCADE',
})
export class OutboxDecisionRow {
  @PrimaryColumn({ name: 'customer_id', type: 'uuid', primaryKeyConstraintName: 'pk_outbox_decisions' })
  customerId: string;

  @PrimaryColumn({ type: 'uuid', primaryKeyConstraintName: 'pk_outbox_decisions' })
  id: string;

  @Column({ name: 'command_id', type: 'uuid' })
  commandId: string;

  @Column({ type: 'text', collation: 'C' })
  action: 'retry' | 'send_again' | 'discard';

  @Column({ type: 'text', collation: 'C' })
  reason: string;

  /** The name of who decided; null where none was given. */
  @Column({ name: 'decided_by', type: 'text', collation: 'C', nullable: true })
  decidedBy: string | null;

  @Column({ name: 'made_at', type: 'timestamptz', default: () => 'now()' })
  madeAt: Date;
}
