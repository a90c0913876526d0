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

  /** The cursor that the reading began from; null when it reads the whole scope. */
  @Column({ type: 'json', nullable: true })
  since: unknown;

  /** From where the next reading may read changes only; null while that is not known. */
  @Column({ type: 'json', nullable: true })
  cursor: unknown;

  /** Parts of the scope that could not be read, in words. */
  @Column({ type: 'json', default: [] })
  gaps: unknown;

  /** Calls of the platform so far. */
  @Column({ type: 'int', default: 0 })
  calls: number;

  /** Calls that the platform refused because of its limits. */
  @Column({ type: 'int', default: 0 })
  limited: number;
}
