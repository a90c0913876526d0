import { Column, Entity, PrimaryColumn, Unique } from 'typeorm';

const primaryKeyConstraintName = 'pk_webhook_subscriptions';

/**
 * What a platform calls when something changes there. Rows are looked up by the hash of their address and stay together
 * where customers are spread over several servers, so there is no foreign key.
 */
@Entity('webhook_subscriptions')
@Unique('uq_webhook_subscriptions_address', ['addressHash'])
export class WebhookSubscriptionRow {
  @PrimaryColumn({ name: 'customer_id', type: 'uuid', primaryKeyConstraintName })
  customerId: string;

  @PrimaryColumn({ type: 'text', collation: 'C', primaryKeyConstraintName })
  platform: string;

  /** SHA-256 of the random part of the address, in lower case hexadecimal. */
  @PrimaryColumn({ name: 'address_hash', type: 'text', collation: 'C', primaryKeyConstraintName })
  addressHash: string;

  /** What it is about; a word of the platform's part. */
  @Column({ type: 'text', collation: 'C' })
  topic: string;

  /** SHA-256 of the secret that each call carries, in lower case hexadecimal. */
  @Column({ name: 'secret_hash', type: 'text', collation: 'C' })
  secretHash: string;

  /** Until then the platform may ask whether the address is ours. */
  @Column({ name: 'handshake_until', type: 'timestamptz', nullable: true })
  handshakeUntil: Date | null;

  /** Whether the platform has said that it is made. One that was begun and not ended is made anew. */
  @Column({ name: 'is_made', type: 'boolean', default: false })
  isMade: boolean;
}
