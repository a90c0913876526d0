import { Column, Entity, PrimaryColumn } from 'typeorm';

const primaryKeyConstraintName = 'pk_staged_merges';

/** Two objects that become one. Exists only within the reconciling transaction. */
@Entity('staged_merges')
export class StagedMergeRow {
  @PrimaryColumn({ name: 'customer_id', type: 'uuid', primaryKeyConstraintName })
  customerId: string;

  @PrimaryColumn({ name: 'run_id', type: 'uuid', primaryKeyConstraintName })
  runId: string;

  @PrimaryColumn({ name: 'entity_type', type: 'text', collation: 'C', primaryKeyConstraintName })
  entityType: string;

  /** The object that is merged into the other; `+` and the native ID for a record without an object. */
  @PrimaryColumn({ type: 'text', collation: 'C', primaryKeyConstraintName })
  goes: string;

  @Column({ type: 'text', collation: 'C' })
  stays: string;
}
