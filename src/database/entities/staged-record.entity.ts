import { Column, Entity, PrimaryColumn } from 'typeorm';
import { camel, recordColumns, type RecordColumn } from './record-columns';

const primaryKeyConstraintName = 'pk_staged_records';

/**
 * A record that a run has read and not published yet. Beside these columns it has those that are read from every
 * record. Unlogged.
 */
@Entity('staged_records')
export class StagedRecordRow {
  @PrimaryColumn({ name: 'customer_id', type: 'uuid', primaryKeyConstraintName })
  customerId: string;

  @PrimaryColumn({ name: 'run_id', type: 'uuid', primaryKeyConstraintName })
  runId: string;

  @PrimaryColumn({ name: 'entity_type', type: 'text', collation: 'C', primaryKeyConstraintName })
  entityType: string;

  /** The index of the record among those of its type, in reading order. */
  @PrimaryColumn({ type: 'int', primaryKeyConstraintName })
  seq: number;

  @Column({ name: 'platform_id', type: 'text', collation: 'C' })
  platformId: string;

  /** The canonical ID that is derived from the record alone: from its key, or from its native ID if it has no key. */
  @Column({ name: 'own_id', type: 'text', collation: 'C' })
  ownId: string;
}

for (const { name, type, nullable, role } of recordColumns as readonly RecordColumn[]) {
  if (role !== 'content' && role !== 'reference') continue;
  const options = { name, type, nullable, ...(type === 'text' && { collation: 'C' }) };
  Column(options)(StagedRecordRow.prototype, camel(name));
}
