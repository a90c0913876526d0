import { Check, Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';
import type { ConnectionMode } from './connection-mode';
import { CustomerRow } from './customer.entity';

/** A platform that a customer has connected. */
@Entity('connections')
@Check('ck_connections_mode', `"mode" in ('sandbox', 'live')`)
@ForeignKey(() => CustomerRow, ['customerId'], ['id'], {
  name: 'fk_connections_customer',
  onDelete: 'CASCADE',
})
export class ConnectionRow {
  @PrimaryColumn({ name: 'customer_id', type: 'uuid', primaryKeyConstraintName: 'pk_connections' })
  customerId: string;

  @PrimaryColumn({ type: 'text', collation: 'C', primaryKeyConstraintName: 'pk_connections' })
  platform: string;

  /** The source of the stored records: the platform itself, or its sandbox. */
  @Column({ type: 'text', collation: 'C', default: 'sandbox' })
  mode: ConnectionMode;

  /** The settings with which the stored records were read, without secrets; null for a sandbox. */
  @Column({ name: 'read_with', type: 'json', nullable: true })
  readWith: unknown;

  @Column({ name: 'connected_at', type: 'timestamptz' })
  connectedAt: Date;

  /** The last time the platform's records were read. */
  @Column({ name: 'synced_at', type: 'timestamptz' })
  syncedAt: Date;

  @Column({ name: 'entities_synced', type: 'int' })
  entitiesSynced: number;

  /** ISO 4217: the currency of records without a currency. */
  @Column({ type: 'text', collation: 'C' })
  currency: string;
}
