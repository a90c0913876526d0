import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { CustomerRow } from './customer.entity';

/**
 * The result of one write-through. It is kept although its object may be merged, so it has no foreign key to
 * `canonical_objects`.
 */
@Entity('propagations')
@Index('ix_propagations_made', ['createdAt', 'customerId'])
@Index('ix_propagations_listed', ['customerId', 'createdAt', 'id'])
@Index('ix_propagations_state', ['customerId', 'entityType', 'state', 'createdAt', 'id'])
@Check('ck_propagations_state', `"state" in ('held', 'uncertain', 'pending', 'rejected', 'settled')`)
@Index('ix_propagations_object', ['customerId', 'canonicalId', 'createdAt'])
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

  @Column({ name: 'entity_type', type: 'text', collation: 'C' })
  entityType: string;

  @Column({ name: 'request_id', type: 'text', collation: 'C' })
  requestId: string;

  @Column({ name: 'updated_fields', type: 'json' })
  updatedFields: string[];

  /** The outcome on each platform, including conversions. */
  @Column({ type: 'json' })
  outcome: unknown;

  @Column({ name: 'created_at', type: 'timestamptz', default: () => 'now()' })
  createdAt: Date;

  /** The state of the change as a whole, by the statuses of its platforms. */
  @Column({ type: 'text', collation: 'C', default: 'settled' })
  state: 'held' | 'uncertain' | 'pending' | 'rejected' | 'settled';

  /** When the last platform decided; null until all have. */
  @Column({ name: 'decided_at', type: 'timestamptz', nullable: true })
  decidedAt: Date | null;

  /** Further content of the response: the platform for which the change was made, and the written fields. */
  @Column({ type: 'json', nullable: true })
  report: unknown;

  /** Why the change was made, and who decided it, in the words of the request. */
  @Column({ type: 'text', collation: 'C', nullable: true })
  reason: string | null;

  @Column({ name: 'decided_by', type: 'text', collation: 'C', nullable: true })
  decidedBy: string | null;

  /** Data for reverting the change if the leading platform rejects it. */
  @Column({ type: 'json', nullable: true })
  intent: unknown;
}
