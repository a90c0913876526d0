import { Check, Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';
import type { ConnectionMode } from './connection-mode';
import { CustomerRow } from './customer.entity';

const primaryKeyConstraintName = 'pk_sync_cursors';

/** Where the next run starts to read changes of one scope. Without a valid row, it reads the whole scope. */
@Entity('sync_cursors')
@Check('ck_sync_cursors_mode', `"mode" in ('sandbox', 'live')`)
@ForeignKey(() => CustomerRow, ['customerId'], ['id'], {
  name: 'fk_sync_cursors_customer',
  onDelete: 'CASCADE',
})
export class SyncCursorRow {
  @PrimaryColumn({ name: 'customer_id', type: 'uuid', primaryKeyConstraintName })
  customerId: string;

  @PrimaryColumn({ type: 'text', collation: 'C', primaryKeyConstraintName })
  platform: string;

  /** The stored type that is read. */
  @PrimaryColumn({ type: 'text', collation: 'C', primaryKeyConstraintName })
  scope: string;

  /** What was read: the platform itself, or its sandbox. The cursor is not valid for the other mode. */
  @Column({ type: 'text', collation: 'C' })
  mode: ConnectionMode;

  /** When the settings of the reading were made. The cursor is not valid for other settings. Null for a sandbox. */
  @Column({ name: 'settings_changed_at', type: 'timestamptz', nullable: true })
  settingsChangedAt: Date | null;

  /** Where the connector resumes, in its own form. */
  @Column({ type: 'json' })
  position: unknown;
}
