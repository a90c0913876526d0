import { Column, Entity, PrimaryColumn } from 'typeorm';

const primaryKeyConstraintName = 'pk_staged_merges';

/** Two objects that become one. Lives within the transaction that reconciles. */
@Entity('staged_merges')
export class StagedMergeRow {
  @PrimaryColumn({ name: 'customer_id', type: 'uuid', primaryKeyConstraintName })
  customerId: string;

  @PrimaryColumn({ name: 'run_id', type: 'uuid', primaryKeyConstraintName })
  runId: string;

  @PrimaryColumn({ name: 'entity_type', type: 'text', collation: 'C', primaryKeyConstraintName })
  entityType: string;

  /** The object that goes; `+` and the native ID for a record that has no object yet. */
  @PrimaryColumn({ type: 'text', collation: 'C', primaryKeyConstraintName })
  goes: string;

  @Column({ type: 'text', collation: 'C' })
  stays: string;

  /** Which pair of platforms the merge was found by. */
  @Column({ type: 'int' })
  round: number;

  /** The platforms of both. */
  @Column({ type: 'text', array: true, collation: 'C' })
  platforms: string[];

  /** What decisions make one with the object's records, and what they rule out; null where nobody decided anything. */
  @Column({ type: 'text', array: true, collation: 'C', nullable: true })
  units: string[] | null;

  @Column({ type: 'text', array: true, collation: 'C', nullable: true })
  against: string[] | null;
}
