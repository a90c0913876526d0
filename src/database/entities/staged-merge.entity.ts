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

  /** The pair of platforms that produced the merge. */
  @Column({ type: 'int' })
  round: number;

  /** The platforms of both objects. */
  @Column({ type: 'text', array: true, collation: 'C' })
  platforms: string[];

  /**
   * The clusters of the object's records under must-link decisions, and what cannot-link decisions exclude; null
   * without decisions.
   */
  @Column({ type: 'text', array: true, collation: 'C', nullable: true })
  units: string[] | null;

  @Column({ type: 'text', array: true, collation: 'C', nullable: true })
  against: string[] | null;
}
