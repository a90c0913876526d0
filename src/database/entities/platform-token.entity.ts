import { Check, Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';
import { LiveConnectionRow } from './live-connection.entity';

/**
 * The access token of a live connection, shared by all instances, and the instance that requests the next one. It is
 * deleted with the credentials for which it was issued.
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

  /** Null before the first token, and after the platform rejected a token. */
  @Column({ name: 'sealed_access_token', type: 'bytea', nullable: true })
  sealedAccessToken: Buffer | null;

  /** Null if the platform issues none. */
  @Column({ name: 'sealed_refresh_token', type: 'bytea', nullable: true })
  sealedRefreshToken: Buffer | null;

  /** The data key of both, encrypted with a master key. */
  @Column({ name: 'sealed_key', type: 'bytea', nullable: true })
  sealedKey: Buffer | null;

  /** The key of `CREDENTIALS_KEYS` that encrypts the data key. */
  @Column({ name: 'master_key_id', type: 'text', collation: 'C', nullable: true })
  masterKeyId: string | null;

  /** From this time on the access token is no longer used: a little before it expires. */
  @Column({ name: 'expires_at', type: 'timestamptz', nullable: true })
  expiresAt: Date | null;

  /** Increases with each token, so that a rejection removes the rejected token and no later one. */
  @Column({ type: 'bigint', default: 0 })
  generation: string;

  /** The instance that requests a token at present, and until when other instances wait. */
  @Column({ name: 'lease_owner', type: 'uuid', nullable: true })
  leaseOwner: string | null;

  @Column({ name: 'lease_until', type: 'timestamptz', nullable: true })
  leaseUntil: Date | null;
}
