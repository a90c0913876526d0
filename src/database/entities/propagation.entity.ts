import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { CustomerRow } from './customer.entity';

/** What one write-through did. Kept although its object may be merged away, hence no key to `canonical_objects`. */
@Entity('propagations')
@Index('ix_propagations_age', ['customerId', 'createdAt'])
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

  /** What each platform answered, conversions included. */
  @Column({ type: 'json' })
  outcome: unknown;

  @Column({ name: 'created_at', type: 'timestamptz', default: () => 'now()' })
  createdAt: Date;

  /** When the last platform had decided; null as long as one has not. */
  @Column({ name: 'decided_at', type: 'timestamptz', nullable: true })
  decidedAt: Date | null;

  /** What the answer says beside the outcomes: the platform the change was made for, and the fields that were written. */
  @Column({ type: 'json', nullable: true })
  report: unknown;

  /** What is needed to take the change back where the platform whose value counts rejects it. */
  @Column({ type: 'json', nullable: true })
  intent: unknown;
}
