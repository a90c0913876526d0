import { Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';
import { CustomerRow } from './customer.entity';

const primaryKeyConstraintName = 'pk_extra_versions';

/** Canonical fields that no platform has a place for, as an object had them until a change gave it others. */
@Entity('extra_versions')
@ForeignKey(() => CustomerRow, ['customerId'], ['id'], {
  name: 'fk_extra_versions_customer',
  onDelete: 'CASCADE',
})
export class ExtraVersionRow {
  @PrimaryColumn({ name: 'customer_id', type: 'uuid', primaryKeyConstraintName })
  customerId: string;

  @PrimaryColumn({ name: 'canonical_id', type: 'text', collation: 'C', primaryKeyConstraintName })
  canonicalId: string;

  @Column({ type: 'json' })
  extra: Record<string, unknown>;

  /** Null where they were so from the beginning. */
  @Column({ type: 'timestamptz', nullable: true })
  since: Date | null;

  @PrimaryColumn({ type: 'timestamptz', primaryKeyConstraintName })
  until: Date;

  @Column({ name: 'ended_by', type: 'uuid', nullable: true })
  endedBy: string | null;
}
