import { Check, Column, Entity, Index, PrimaryColumn, Unique } from 'typeorm';

/**
 * A key in its stored form, which identifies the key and cannot be used as one. It has no foreign key to its customer:
 * keys are looked up by hash and stay together if customers are spread over several servers.
 */
@Entity('api_keys')
@Check('ck_api_keys_mode', `"mode" in ('demo', 'test', 'live')`)
@Check('ck_api_keys_permissions', `"permissions" <@ '{read,write,decide,administer,passthrough}'::text[]`)
@Unique('uq_api_keys_hash', ['hash'])
@Index('ix_api_keys_customer', ['customerId'])
export class ApiKeyRow {
  @PrimaryColumn({ type: 'uuid', primaryKeyConstraintName: 'pk_api_keys' })
  id: string;

  @Column({ name: 'customer_id', type: 'uuid' })
  customerId: string;

  @Column({ type: 'text', collation: 'C' })
  mode: 'demo' | 'test' | 'live';

  /** The owner's name for the key; null if it has none. */
  @Column({ type: 'text', collation: 'C', nullable: true })
  label: string | null;

  /** What the key may do. */
  @Column({ type: 'text', array: true, collation: 'C', default: () => `'{read,write,decide,administer}'` })
  permissions: ('read' | 'write' | 'decide' | 'administer' | 'passthrough')[];

  /** SHA-256 of the whole key, in lower case hexadecimal. */
  @Column({ type: 'text', collation: 'C' })
  hash: string;

  /** Prefix and last four characters, by which a person recognises the key. */
  @Column({ type: 'text', collation: 'C' })
  hint: string;

  /** Whether the customer has fields of its own. It is the same for all keys of a customer. */
  @Column({ name: 'has_own_fields', type: 'boolean', default: false })
  hasOwnFields: boolean;

  @Column({ name: 'created_at', type: 'timestamptz', default: () => 'now()' })
  createdAt: Date;

  @Column({ name: 'revoked_at', type: 'timestamptz', nullable: true })
  revokedAt: Date | null;

  /** From this time on the key is invalid; null if it does not expire. */
  @Column({ name: 'expires_at', type: 'timestamptz', nullable: true })
  expiresAt: Date | null;
}
