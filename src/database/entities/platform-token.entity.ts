import { Check, Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';
import { LiveConnectionRow } from './live-connection.entity';

/**
 * The access token of a live connection, for all instances, and who gets the next one. It goes with the credentials that
 * it was given for.
 */
@Entity('platform_tokens')
@Check('ck_platform_tokens_key', `("sealed_key" is null) = ("master_key_id" is null)`)
@ForeignKey(() => LiveConnectionRow, ['customerId', 'platform'], ['customerId', 'platform'], {
  name: 'fk_platform_tokens_connection',
  onDelete: 'CASCADE',
})
export class PlatformTokenRow {
  @PrimaryColumn({ name: 'customer_id', type: 'uuid', primaryKeyConstraintName: 'pk_platform_tokens' })
  customerId: string;

  @PrimaryColumn({ type: 'text', collation: 'C', primaryKeyConstraintName: 'pk_platform_tokens' })
  platform: string;

  /** Null before the first token, and after the platform refused one. */
  @Column({ name: 'sealed_access_token', type: 'bytea', nullable: true })
  sealedAccessToken: Buffer | null;

  /** Null where the platform gives none. */
  @Column({ name: 'sealed_refresh_token', type: 'bytea', nullable: true })
  sealedRefreshToken: Buffer | null;

  /** The data key of both, sealed with a master key. */
  @Column({ name: 'sealed_key', type: 'bytea', nullable: true })
  sealedKey: Buffer | null;

  /** Which of `CREDENTIALS_KEYS` seals the data key. */
  @Column({ name: 'master_key_id', type: 'text', collation: 'C', nullable: true })
  masterKeyId: string | null;

  /** From when on the access token is not used any more: a little before it ends. */
  @Column({ name: 'expires_at', type: 'timestamptz', nullable: true })
  expiresAt: Date | null;

  /** Grows with each token, so that a refusal drops the refused one and no later one. */
  @Column({ type: 'bigint', default: 0 })
  generation: string;

  /** Who asks the platform for a token at the moment, and until when the others wait. */
  @Column({ name: 'lease_owner', type: 'uuid', nullable: true })
  leaseOwner: string | null;

  @Column({ name: 'lease_until', type: 'timestamptz', nullable: true })
  leaseUntil: Date | null;
}
