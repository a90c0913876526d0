import { Column, Entity, PrimaryColumn } from 'typeorm';

const primaryKeyConstraintName = 'pk_staged_sightings';

/** Records that a run has read and found as they are stored, so that it staged nothing else of them. Unlogged. */
@Entity('staged_sightings')
export class StagedSightingRow {
  @PrimaryColumn({ name: 'customer_id', type: 'uuid', primaryKeyConstraintName })
  customerId: string;

  @PrimaryColumn({ name: 'run_id', type: 'uuid', primaryKeyConstraintName })
  runId: string;

  @PrimaryColumn({ name: 'entity_type', type: 'text', collation: 'C', primaryKeyConstraintName })
  entityType: string;

  /** How many records of the type were read up to here. */
  @PrimaryColumn({ type: 'int', primaryKeyConstraintName })
  seq: number;

  @Column({ name: 'platform_ids', type: 'text', array: true, collation: 'C' })
  platformIds: string[];
}
