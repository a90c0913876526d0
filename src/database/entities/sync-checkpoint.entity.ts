import { Column, Entity, PrimaryColumn } from 'typeorm';

const primaryKeyConstraintName = 'pk_sync_checkpoints';

/** How far a run has read one scope. Written in one transaction with the records it covers. Unlogged, as they are. */
@Entity('sync_checkpoints')
export class SyncCheckpointRow {
  @PrimaryColumn({ name: 'customer_id', type: 'uuid', primaryKeyConstraintName })
  customerId: string;

  @PrimaryColumn({ name: 'run_id', type: 'uuid', primaryKeyConstraintName })
  runId: string;

  /** The stored type that is read. */
  @PrimaryColumn({ type: 'text', collation: 'C', primaryKeyConstraintName })
  scope: string;

  /** Where the connector goes on; its own words. */
  @Column({ type: 'json', nullable: true })
  position: unknown;

  /** Whether the whole scope was read; null while it is being read. */
  @Column({ type: 'boolean', nullable: true })
  complete: boolean | null;

  /** Records read so far. */
  @Column({ type: 'int' })
  records: number;

  /** Records without an ID of their own, which cannot be stored. */
  @Column({ name: 'without_id', type: 'int' })
  withoutId: number;

  /** Fields that do not fit and stay out of the canonical objects. */
  @Column({ name: 'unreadable_fields', type: 'int' })
  unreadableFields: number;
}
