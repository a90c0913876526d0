import type { StoredEntityType } from '@app/mapper';
import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn, VirtualColumn } from 'typeorm';
import { CustomerRow } from './customer.entity';
import { TimeText } from './time-text.column';

/** An accepted change, and its outcome on each platform. */
@Entity('propagations')
@Check('ck_propagations_state', `"state" in ('held', 'uncertain', 'pending', 'rejected', 'settled')`)
@Index('ix_propagations_object', ['customerId', 'canonicalId', 'createdAt'])
@Index('ix_propagations_listed', ['customerId', 'createdAt', 'id'])
@Index('ix_propagations_state', ['customerId', 'entityType', 'state', 'createdAt', 'id'])
@Index('ix_propagations_made', ['createdAt', 'customerId'])
@ForeignKey(() => CustomerRow, ['customerId'], ['id'], {
  name: 'fk_propagations_customer',
  onDelete: 'CASCADE',
})
export class PropagationRow {
  @PrimaryColumn({ name: 'customer_id', type: 'uuid', primaryKeyConstraintName: 'pk_propagations' })
  customerId: string;

  @PrimaryColumn({ type: 'uuid', primaryKeyConstraintName: 'pk_propagations' })
  id: string;

  @Column({ name: 'canonical_id', type: 'text', collation: 'C' })
  canonicalId: string;

  /** The object that it was made for, if that was merged into another one since. */
  @Column({ name: 'made_for', type: 'text', collation: 'C', nullable: true, select: false })
  madeFor: string | null;

  @Column({ name: 'entity_type', type: 'text', collation: 'C' })
  entityType: StoredEntityType;

  @Column({ name: 'request_id', type: 'text', collation: 'C' })
  requestId: string;

  @Column({ name: 'updated_fields', type: 'json' })
  updatedFields: readonly string[];

  @Column({ type: 'json' })
  outcome: unknown;

  /** The outcome on each platform, with numbers as they were written. */
  @VirtualColumn({ type: 'text', query: (row) => `${row}.outcome::text` })
  outcomeText: string;

  @Column({ name: 'created_at', type: 'timestamptz', default: () => 'now()', select: false })
  createdAt: Date;

  /** When it was accepted, with microseconds. */
  @TimeText('created_at')
  at: string;

  /** When the last platform had decided; null while one has not. */
  @Column({ name: 'decided_at', type: 'timestamptz', nullable: true })
  decidedAt: Date | null;

  @Column({ type: 'json', nullable: true })
  intent: unknown;

  /** The data to undo the change while a command is open; null if the change had no command. */
  @VirtualColumn({ type: 'text', query: (row) => `${row}.intent::text` })
  intentText: string | null;

  @Column({ type: 'json', nullable: true })
  report: unknown;

  /** Members of the response that are not part of the outcomes; null for a change that an early release stored. */
  @VirtualColumn({ type: 'text', query: (row) => `${row}.report::text` })
  reportText: string | null;

  /** Why it was made, and who decided it; null if not given. */
  @Column({ type: 'text', collation: 'C', nullable: true })
  reason: string | null;

  @Column({ name: 'decided_by', type: 'text', collation: 'C', nullable: true })
  decidedBy: string | null;

  @Column({ type: 'text', collation: 'C', default: 'settled' })
  state: 'held' | 'uncertain' | 'pending' | 'rejected' | 'settled';
}
