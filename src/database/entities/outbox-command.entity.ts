import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import type { ConnectionMode } from './connection-mode';
import { CustomerRow } from './customer.entity';

/**
 * A write to one platform's record that could not be made in the transaction that accepted it. It is kept as history
 * after its decision, so it has no foreign key to `canonical_objects`. Read and write the JSON columns as text: the
 * driver's parser loses the spelling of numbers.
 */
@Entity('outbox_commands')
@Index('ix_outbox_commands_object', ['customerId', 'canonicalId', 'platform', 'seq'])
@Index('ix_outbox_commands_propagation', ['customerId', 'propagationId'])
@Index('ix_outbox_commands_open', ['customerId', 'notBefore'], { where: 'decided_at is null' })
@Index('ix_outbox_commands_open_object', ['customerId', 'canonicalId', 'platform', 'seq'], {
  where: 'decided_at is null',
})
@Index('ix_outbox_commands_open_change', ['customerId', 'propagationId', 'seq'], {
  where: 'decided_at is null',
})
@Index('ix_outbox_commands_held', ['customerId'], { where: "status = 'held'" })
@Check(
  'ck_outbox_commands_status',
  `"status" in ('waiting', 'sending', 'uncertain', 'applied', 'unchanged', 'rejected', 'skipped', 'held')`,
)
@Check('ck_outbox_commands_mode', `"mode" in ('sandbox', 'live')`)
@ForeignKey(() => CustomerRow, ['customerId'], ['id'], {
  name: 'fk_outbox_commands_customer',
  onDelete: 'CASCADE',
})
export class OutboxCommandRow {
  @PrimaryColumn({ name: 'customer_id', type: 'uuid', primaryKeyConstraintName: 'pk_outbox_commands' })
  customerId: string;

  @PrimaryColumn({ type: 'uuid', primaryKeyConstraintName: 'pk_outbox_commands' })
  id: string;

  /** The order of acceptance. Commands of one record are sent in this order. */
  @Column({ type: 'bigint', generated: 'identity', generatedIdentity: 'ALWAYS' })
  seq: string;

  @Column({ name: 'propagation_id', type: 'uuid' })
  propagationId: string;

  /** The index of the command within its change. */
  @Column({ type: 'int' })
  position: number;

  @Column({ type: 'text', collation: 'C' })
  platform: string;

  /** The mode of the connection when the change was accepted. */
  @Column({ type: 'text', collation: 'C', default: 'sandbox' })
  mode: ConnectionMode;

  @Column({ name: 'entity_type', type: 'text', collation: 'C' })
  entityType: string;

  @Column({ name: 'canonical_id', type: 'text', collation: 'C' })
  canonicalId: string;

  /** The original object of the change, if it was merged into another one since. */
  @Column({ name: 'made_for', type: 'text', collation: 'C', nullable: true })
  madeFor: string | null;

  /** Null for a record that is to be created. */
  @Column({ name: 'platform_id', type: 'text', collation: 'C', nullable: true })
  platformId: string | null;

  @Column({ type: 'text', collation: 'C', nullable: true })
  variant: string | null;

  @Column({ type: 'text', collation: 'C' })
  status: string;

  @Column({ type: 'text', collation: 'C', nullable: true })
  reason: string | null;

  /** Native fields to set. */
  @Column({ type: 'json' })
  changes: unknown;

  /** The record for which the changes were made; null for a record that is to be created. */
  @Column({ type: 'json', nullable: true })
  base: unknown;

  /** Records of the platform to which this one refers. */
  @Column({ type: 'json' })
  referred: unknown;

  /** The expected record after the write. */
  @Column({ type: 'json' })
  predicted: unknown;

  /** Data for recording the outcome: references as canonical IDs, currencies, conversions. */
  @Column({ type: 'json' })
  recording: unknown;

  @Column({ type: 'int', default: 0 })
  attempts: number;

  /** Number of checks whether the last attempt had an effect. */
  @Column({ type: 'int', default: 0 })
  looks: number;

  /** The connector's notes before the last attempt. */
  @Column({ type: 'json', nullable: true })
  notes: unknown;

  /** Confirmed partial results of a write with several calls, while the command is not decided. */
  @Column({ type: 'json', nullable: true })
  made: unknown;

  /** When the last attempt ended in this service, if its effect is unknown. */
  @Column({ name: 'given_up_at', type: 'timestamptz', nullable: true })
  givenUpAt: Date | null;

  /** Commands that must be decided first: they create records to which this one refers. */
  @Column({ name: 'waits_for', type: 'uuid', array: true, nullable: true })
  waitsFor: string[] | null;

  /** Why it was postponed until `notBefore`. */
  @Column({ name: 'put_off', type: 'text', collation: 'C', nullable: true })
  putOff: string | null;

  /** Number of conflicts with changes by other users. */
  @Column({ type: 'int', default: 0 })
  conflicts: number;

  @Column({ name: 'not_before', type: 'timestamptz', default: () => 'now()' })
  notBefore: Date;

  @Column({ name: 'sent_at', type: 'timestamptz', nullable: true })
  sentAt: Date | null;

  /** The instance that sends the command at present, and until when other instances leave it alone. */
  @Column({ name: 'lease_owner', type: 'uuid', nullable: true })
  leaseOwner: string | null;

  @Column({ name: 'lease_until', type: 'timestamptz', nullable: true })
  leaseUntil: Date | null;

  /** The request that caused the command: its ID and its trace as headers. */
  @Column({ type: 'json', nullable: true })
  cause: unknown;

  @Column({ name: 'created_at', type: 'timestamptz', default: () => 'now()' })
  createdAt: Date;

  @Column({ name: 'decided_at', type: 'timestamptz', nullable: true })
  decidedAt: Date | null;
}
