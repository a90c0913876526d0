import { Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';
import { CustomerRow } from './customer.entity';

const primaryKeyConstraintName = 'pk_extra_versions';

/** Earlier values of an object's canonical fields that no platform stores, until a change replaced them. */
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

  /** Null if the values were there from the beginning. */
  @Column({ type: 'timestamptz', nullable: true })
  since: Date | null;

  @PrimaryColumn({ type: 'timestamptz', primaryKeyConstraintName })
  until: Date;

  @Column({ name: 'ended_by', type: 'uuid', nullable: true })
  endedBy: string | null;
}
