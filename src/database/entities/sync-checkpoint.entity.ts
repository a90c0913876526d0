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

  /** Where the connector resumes, in its own form. */
  @Column({ type: 'json', nullable: true })
  position: unknown;

  /** Whether the whole scope was read; null while the reading is in progress. */
  @Column({ type: 'boolean', nullable: true })
  complete: boolean | null;

  /** Records read so far. */
  @Column({ type: 'int' })
  records: number;

  /** Records without an ID. They cannot be stored. */
  @Column({ name: 'without_id', type: 'int' })
  withoutId: number;

  /** Invalid fields, which are left out of the canonical objects. */
  @Column({ name: 'unreadable_fields', type: 'int' })
  unreadableFields: number;

  /** The cursor at which the reading began; null for a reading of the whole scope. */
  @Column({ type: 'json', nullable: true })
  since: unknown;

  /** The start of the next reading of changes; null while it is not known. */
  @Column({ type: 'json', nullable: true })
  cursor: unknown;

  /** Parts of the scope that could not be read, in words. */
  @Column({ type: 'json', default: [] })
  gaps: unknown;

  /** Calls of the platform so far. */
  @Column({ type: 'int', default: 0 })
  calls: number;

  /** Calls that the platform rejected because of its rate limits. */
  @Column({ type: 'int', default: 0 })
  limited: number;
}
