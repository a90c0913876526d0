import { Column, Entity, Index, PrimaryColumn, Unique } from 'typeorm';

const primaryKeyConstraintName = 'pk_webhook_subscriptions';

/**
 * An address that a platform calls when its data changes. Rows are looked up by the hash of their address and stay
 * together if customers are spread over several servers, so there is no foreign key.
 */
@Entity('webhook_subscriptions')
@Index('ix_webhook_subscriptions_unconfirmed', ['customerId', 'platform'], { where: 'not is_confirmed' })
@Unique('uq_webhook_subscriptions_address', ['addressHash'])
export class WebhookSubscriptionRow {
  @PrimaryColumn({ name: 'customer_id', type: 'uuid', primaryKeyConstraintName })
  customerId: string;

  @PrimaryColumn({ type: 'text', collation: 'C', primaryKeyConstraintName })
  platform: string;

  /** SHA-256 of the random part of the address, in lower case hexadecimal. */
  @PrimaryColumn({ name: 'address_hash', type: 'text', collation: 'C', primaryKeyConstraintName })
  addressHash: string;

  /** The subject of the notifications, in the platform's terms. */
  @Column({ type: 'text', collation: 'C' })
  topic: string;

  /** SHA-256 of the secret in each notification, in lower case hexadecimal. */
  @Column({ name: 'secret_hash', type: 'text', collation: 'C' })
  secretHash: string;

  /** Until this time the platform may verify the address. */
  @Column({ name: 'handshake_until', type: 'timestamptz', nullable: true })
  handshakeUntil: Date | null;

  /** Whether the platform has confirmed the subscription. An unconfirmed subscription is created again. */
  @Column({ name: 'is_confirmed', type: 'boolean', default: false })
  isConfirmed: boolean;
}
