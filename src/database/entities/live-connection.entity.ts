import { Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';
import { CustomerRow } from './customer.entity';

/** A platform for which a customer has stored credentials. Without a row, the customer uses the platform's sandbox. */
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

  /** Settings that are not secret: addresses, company, currency. The platform determines the structure. */
  @Column({ type: 'json' })
  settings: unknown;

  /** The secrets, encrypted with a data key of this row (AES-256-GCM). */
  @Column({ name: 'sealed_secrets', type: 'bytea' })
  sealedSecrets: Buffer;

  /** The data key, encrypted with a master key. */
  @Column({ name: 'sealed_key', type: 'bytea' })
  sealedKey: Buffer;

  /** The key of `CREDENTIALS_KEYS` that encrypts the data key. */
  @Column({ name: 'master_key_id', type: 'text', collation: 'C' })
  masterKeyId: string;

  @Column({ name: 'changed_at', type: 'timestamptz', default: () => 'now()' })
  changedAt: Date;
}
