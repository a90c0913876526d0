import { Check, Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';
import type { StoredEntityType } from '@app/mapper';
import type { ConnectionMode } from './connection-mode';
import { CustomerRow } from './customer.entity';

const primaryKeyConstraintName = 'pk_sync_cursors';

/**
 * The position up to which the last run of a connection has read a scope. The next run with the same mode and settings
 * reads the changes after it. A run with other settings reads the whole scope, and its connector gets the position.
 */
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

  @PrimaryColumn({ type: 'text', collation: 'C', primaryKeyConstraintName })
  scope: StoredEntityType;

  @Column({ type: 'text', collation: 'C' })
  mode: ConnectionMode;

  /**
   * When the credentials that it was read with were stored. Null for a sandbox, and for a scope of a live connection that
   * must be read whole again.
   */
  @Column({ name: 'settings_changed_at', type: 'timestamptz', nullable: true })
  settingsChangedAt: Date | null;

  /** The platform determines the structure. */
  @Column({ type: 'json' })
  position: unknown;
}
