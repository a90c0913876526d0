import { Column, Entity, PrimaryColumn } from 'typeorm';

const primaryKeyConstraintName = 'pk_staged_sightings';

/** Records that a run has read and that equal the stored ones, so that nothing else of them is staged. Unlogged. */
@Entity('staged_sightings')
export class StagedSightingRow {
  @PrimaryColumn({ name: 'customer_id', type: 'uuid', primaryKeyConstraintName })
  customerId: string;

  @PrimaryColumn({ name: 'run_id', type: 'uuid', primaryKeyConstraintName })
  runId: string;

  @PrimaryColumn({ name: 'entity_type', type: 'text', collation: 'C', primaryKeyConstraintName })
  entityType: string;

  /** Number of records of the type that were read up to here. */
  @PrimaryColumn({ type: 'int', primaryKeyConstraintName })
  seq: number;

  @Column({ name: 'platform_ids', type: 'text', array: true, collation: 'C' })
  platformIds: string[];
}
