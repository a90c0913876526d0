import { Column, Entity, ForeignKey, Index, PrimaryColumn, Unique } from 'typeorm';
import { CanonicalObjectRow } from './canonical-object.entity';
import { camel, recordColumns, type AnyRecordColumn, type Camel, type RecordColumn } from './record-columns';

type ValueOf<Column extends RecordColumn> = Column extends { readonly type: 'json' }
  ? unknown
  : Column extends { readonly type: 'timestamptz' }
    ? Column extends { readonly nullable: true }
      ? Date | null
      : Date
    : Column extends { readonly type: 'int' }
      ? number
      : Column extends { readonly nullable: true }
        ? string | null
        : string;

/**
 * A record of a platform, and the values read from it for lookup and matching. {@link recordColumns} describes each
 * column.
 */
export type PlatformRecordRow = {
  [Column in AnyRecordColumn as Camel<Column['name']>]: ValueOf<Column>;
};

@Entity('platform_records')
@Unique('uq_platform_records_object', ['customerId', 'canonicalId', 'platform'])
@Index('ix_platform_records_order', ['customerId', 'platform', 'entityType', 'nativeOrder'])
@Index('ix_platform_records_key', ['customerId', 'platform', 'entityType', 'businessKey', 'platformId'])
@Index('ix_platform_records_missed', ['customerId', 'platform', 'entityType'], { where: 'missed > 0' })
@Index('ix_platform_records_since', ['customerId', 'since'])
@Index('ix_platform_records_parents', ['customerId', 'entityType', 'since'], {
  where: "entity_type in ('project', 'customer', 'contract', 'invoice')",
})
@Index('ix_platform_records_payments', ['customerId', 'invoiceCanonicalId'], {
  where: "entity_type = 'payment'",
})
@Index('ix_platform_records_contract', ['customerId', 'contractCanonicalId', 'entityType'], {
  where: 'contract_canonical_id is not null',
})
@Index('ix_platform_records_project', ['customerId', 'entityType', 'projectCanonicalId'], {
  where: 'project_canonical_id is not null',
})
@Index('ix_platform_records_status', ['customerId', 'entityType', 'status'], { where: 'status is not null' })
// Indexes on expressions. The migration creates them.
@Index('ix_platform_records_date', { synchronize: false })
@Index('ix_platform_records_amount', { synchronize: false })
@Index('ix_platform_records_words', { synchronize: false })
@ForeignKey(() => CanonicalObjectRow, ['customerId', 'canonicalId'], ['customerId', 'id'], {
  name: 'fk_platform_records_object',
  onDelete: 'CASCADE',
})
class Row {}

const defaultOf = (fallback: RecordColumn['fallback']) =>
  fallback !== undefined && { default: typeof fallback === 'number' ? fallback : () => fallback };

for (const { name, type, nullable, role, fallback } of recordColumns as readonly RecordColumn[]) {
  const options = { name, type, ...(type === 'text' && { collation: 'C' }) };
  const column =
    role === 'key'
      ? PrimaryColumn({ ...options, primaryKeyConstraintName: 'pk_platform_records' })
      : Column({ ...options, nullable, ...defaultOf(fallback) });
  column(Row.prototype, camel(name));
}

/** The table of the stored records. Its properties are those of the type, because both are derived from one list. */
export const PlatformRecordRow = Row as new () => PlatformRecordRow;
