import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { CanonicalObjectRow } from './canonical-object.entity';
import { camel, recordColumns, type RecordColumn } from './record-columns';

const primaryKeyConstraintName = 'pk_deleted_records';

/**
 * A record that its platform no longer has, in its stored form. Beside this column it has the columns of a stored
 * record, except those about writes, absences and versions. Its object may have no other record.
 */
@Entity('deleted_records')
@Index('ix_deleted_records_object', ['customerId', 'canonicalId'])
@Index('ix_deleted_records_order', ['customerId', 'platform', 'entityType', 'nativeOrder'])
@ForeignKey(() => CanonicalObjectRow, ['customerId', 'canonicalId'], ['customerId', 'id'], {
  name: 'fk_deleted_records_object',
  onDelete: 'CASCADE',
})
export class DeletedRecordRow {
  @Column({ name: 'deleted_at', type: 'timestamptz', default: () => 'now()' })
  deletedAt: Date;
}

for (const { name, type, nullable, role } of recordColumns as readonly RecordColumn[]) {
  if (role === 'write' || role === 'absence' || role === 'version') continue;
  const options = { name, type, ...(type === 'text' && { collation: 'C' }) };
  const column =
    role === 'key'
      ? PrimaryColumn({ ...options, primaryKeyConstraintName })
      : Column({ ...options, nullable });
  column(DeletedRecordRow.prototype, camel(name));
}
