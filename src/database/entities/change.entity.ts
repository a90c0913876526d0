import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { CustomerRow } from './customer.entity';

/** A change to records of a customer. Versions of records refer to it. */
@Entity('changes')
@Index('ix_changes_age', ['at', 'customerId'])
@Index('ix_changes_time', ['customerId', 'at'])
@Check('ck_changes_origin', `"origin" in ('run', 'propagation', 'outcome', 'decision', 'terms')`)
@ForeignKey(() => CustomerRow, ['customerId'], ['id'], {
  name: 'fk_changes_customer',
  onDelete: 'CASCADE',
})
export class ChangeRow {
  @PrimaryColumn({ name: 'customer_id', type: 'uuid', primaryKeyConstraintName: 'pk_changes' })
  customerId: string;

  /** The ID of a run or of a propagation, or an ID of its own. */
  @PrimaryColumn({ type: 'uuid', primaryKeyConstraintName: 'pk_changes' })
  id: string;

  /** Taken after the locks, so of two changes of one object the later one has the later time. */
  @Column({ type: 'timestamptz' })
  at: Date;

  @Column({ type: 'text', collation: 'C' })
  origin: string;

  /** For a run: the platform that was read. */
  @Column({ type: 'text', collation: 'C', nullable: true })
  platform: string | null;

  /** For a propagation, and for the later outcome of one. */
  @Column({ name: 'propagation_id', type: 'uuid', nullable: true })
  propagationId: string | null;

  @Column({ name: 'request_id', type: 'text', collation: 'C', nullable: true })
  requestId: string | null;

  @Column({ name: 'decision_id', type: 'uuid', nullable: true })
  decisionId: string | null;

  @Column({ type: 'json', nullable: true })
  detail: unknown;
}
