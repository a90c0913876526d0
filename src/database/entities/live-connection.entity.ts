import { Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';
import { CustomerRow } from './customer.entity';

/** A platform that a customer has credentials for. Where there is no row, the customer has the platform's sandbox. */
@Entity('live_connections')
@ForeignKey(() => CustomerRow, ['customerId'], ['id'], {
  name: 'fk_live_connections_customer',
  onDelete: 'CASCADE',
})
export class LiveConnectionRow {
  @PrimaryColumn({ name: 'customer_id', type: 'uuid', primaryKeyConstraintName: 'pk_live_connections' })
  customerId: string;

  @PrimaryColumn({ type: 'text', collation: 'C', primaryKeyConstraintName: 'pk_live_connections' })
  platform: string;

  /** What is not secret: addresses, company, currency. Its shape is the platform's. */
  @Column({ type: 'json' })
  settings: unknown;

  /** The secrets, sealed with a data key of this row (AES-256-GCM). */
  @Column({ name: 'sealed_secrets', type: 'bytea' })
  sealedSecrets: Buffer;

  /** The data key, sealed with a master key. */
  @Column({ name: 'sealed_key', type: 'bytea' })
  sealedKey: Buffer;

  /** Which of `CREDENTIALS_KEYS` seals the data key. */
  @Column({ name: 'master_key_id', type: 'text', collation: 'C' })
  masterKeyId: string;

  @Column({ name: 'changed_at', type: 'timestamptz', default: () => 'now()' })
  changedAt: Date;
}
