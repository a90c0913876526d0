import { Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';
import { CustomerRow } from './customer.entity';

const primaryKeyConstraintName = 'pk_named_records';

/** A record that a live platform has named as changed, until a reading has looked it up. */
@Entity('named_records')
@ForeignKey(() => CustomerRow, ['customerId'], ['id'], {
  name: 'fk_named_records_customer',
  onDelete: 'CASCADE',
})
export class NamedRecordRow {
  @PrimaryColumn({ name: 'customer_id', type: 'uuid', primaryKeyConstraintName })
  customerId: string;

  @PrimaryColumn({ type: 'text', collation: 'C', primaryKeyConstraintName })
  platform: string;

  @PrimaryColumn({ name: 'entity_type', type: 'text', collation: 'C', primaryKeyConstraintName })
  entityType: string;

  @PrimaryColumn({ name: 'platform_id', type: 'text', collation: 'C', primaryKeyConstraintName })
  platformId: string;

  /** The record's project, if the platform has named it. */
  @Column({ name: 'project_id', type: 'text', collation: 'C', nullable: true })
  projectId: string | null;

  /** When the platform named the record last. */
  @Column({ name: 'named_at', type: 'timestamptz' })
  namedAt: Date;
}
