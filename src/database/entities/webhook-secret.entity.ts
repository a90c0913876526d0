import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { WebhookEndpointRow } from './webhook-endpoint.entity';

const primaryKeyConstraintName = 'pk_webhook_secrets';

/** A secret with which deliveries to an endpoint are signed. */
@Entity('webhook_secrets')
@Index('ix_webhook_secrets_endpoint', ['customerId', 'endpointId'])
@ForeignKey(() => WebhookEndpointRow, ['customerId', 'endpointId'], ['customerId', 'id'], {
  name: 'fk_webhook_secrets_endpoint',
  onDelete: 'CASCADE',
})
export class WebhookSecretRow {
  @PrimaryColumn({ name: 'customer_id', type: 'uuid', primaryKeyConstraintName })
  customerId: string;

  @PrimaryColumn({ type: 'text', collation: 'C', primaryKeyConstraintName })
  id: string;

  @Column({ name: 'endpoint_id', type: 'uuid' })
  endpointId: string;

  /** The key of `CREDENTIALS_KEYS` that encrypts the data key. */
  @Column({ name: 'master_key_id', type: 'text', collation: 'C' })
  masterKeyId: string;

  /** The data key, encrypted with a master key. */
  @Column({ name: 'sealed_key', type: 'bytea' })
  sealedKey: Buffer;

  /** The secret, encrypted with the data key (AES-256-GCM). */
  @Column({ name: 'sealed_secret', type: 'bytea' })
  sealedSecret: Buffer;

  @Column({ name: 'made_at', type: 'timestamptz', select: false })
  madeAt: Date;

  /** Until this time a replaced secret still signs; null for the present one. */
  @Column({ name: 'ends_at', type: 'timestamptz', nullable: true })
  endsAt: Date | null;
}
