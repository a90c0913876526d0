import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { CustomerRow } from './customer.entity';
import { camel, versionColumns } from './record-columns';

const primaryKeyConstraintName = 'pk_record_versions';

/**
 * A record as it was stored from `since` until `until`, when a change replaced or removed it. It names its object at
 * that time, which may be an alias by now.
 */
@Entity('record_versions')
@Index('ix_record_versions_object', ['customerId', 'canonicalId', 'since'])
@Index('ix_record_versions_key', ['customerId', 'entityType', 'businessKey'])
@Index('ix_record_versions_end', ['customerId', 'until'])
@ForeignKey(() => CustomerRow, ['customerId'], ['id'], {
  name: 'fk_record_versions_customer',
  onDelete: 'CASCADE',
})
export class RecordVersionRow {
  @Column({ type: 'timestamptz' })
  until: Date;

  /** The change that replaced or removed it. */
  @Column({ name: 'ended_by', type: 'uuid', nullable: true })
  endedBy: string | null;
}

for (const { name, type, nullable, role } of versionColumns) {
  const options = { name, type, ...(type === 'text' && { collation: 'C' }) };
  const column =
    role === 'key' || name === 'since'
      ? PrimaryColumn({ ...options, primaryKeyConstraintName })
      : Column({ ...options, nullable });
  column(RecordVersionRow.prototype, camel(name));
}
