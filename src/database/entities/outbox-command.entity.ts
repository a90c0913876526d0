import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import type { ConnectionMode } from './connection-mode';
import { CustomerRow } from './customer.entity';

/**
 * One write to one platform's record that could not be made in the transaction that accepted it. Kept after it was
 * decided, as history, hence no key to `canonical_objects`. Read and write the JSON columns as text: the driver's
 * parser loses how numbers were written.
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

  /** The order in which commands were accepted; those of one record are sent in it. */
  @Column({ type: 'bigint', generated: 'identity', generatedIdentity: 'ALWAYS' })
  seq: string;

  @Column({ name: 'propagation_id', type: 'uuid' })
  propagationId: string;

  /** The command's place among those of its change. */
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

  /** The object that the change was made for, where that went into another one since. */
  @Column({ name: 'made_for', type: 'text', collation: 'C', nullable: true })
  madeFor: string | null;

  /** Null for a record to be created. */
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

  /** The record that the changes were made for; null for one to be created. */
  @Column({ type: 'json', nullable: true })
  base: unknown;

  /** Records of the platform that this one refers to. */
  @Column({ type: 'json' })
  referred: unknown;

  /** What the write is expected to make of the record. */
  @Column({ type: 'json' })
  predicted: unknown;

  /** What recording the outcome needs: references as canonical IDs, currencies, conversions. */
  @Column({ type: 'json' })
  recording: unknown;

  @Column({ type: 'int', default: 0 })
  attempts: number;

  /** How often somebody looked whether the last attempt had an effect. */
  @Column({ type: 'int', default: 0 })
  looks: number;

  /** What the connector noted before the last attempt. */
  @Column({ type: 'json', nullable: true })
  notes: unknown;

  /** What it has certainly made while it is not decided: it takes several calls. */
  @Column({ type: 'json', nullable: true })
  made: unknown;

  /** When the last attempt had ended on our side, where nobody knows what came of it. */
  @Column({ name: 'given_up_at', type: 'timestamptz', nullable: true })
  givenUpAt: Date | null;

  /** Commands that have to be decided first: they create records that this one refers to. */
  @Column({ name: 'waits_for', type: 'uuid', array: true, nullable: true })
  waitsFor: string[] | null;

  /** Why it was put off until `notBefore`. */
  @Column({ name: 'put_off', type: 'text', collation: 'C', nullable: true })
  putOff: string | null;

  /** How often somebody else's change came between. */
  @Column({ type: 'int', default: 0 })
  conflicts: number;

  @Column({ name: 'not_before', type: 'timestamptz', default: () => 'now()' })
  notBefore: Date;

  @Column({ name: 'sent_at', type: 'timestamptz', nullable: true })
  sentAt: Date | null;

  /** Who sends it at the moment, and until when the others leave it alone. */
  @Column({ name: 'lease_owner', type: 'uuid', nullable: true })
  leaseOwner: string | null;

  @Column({ name: 'lease_until', type: 'timestamptz', nullable: true })
  leaseUntil: Date | null;

  /** The request that asked for it: its ID and its trace as headers. */
  @Column({ type: 'json', nullable: true })
  cause: unknown;

  @Column({ name: 'created_at', type: 'timestamptz', default: () => 'now()' })
  createdAt: Date;

  @Column({ name: 'decided_at', type: 'timestamptz', nullable: true })
  decidedAt: Date | null;
}
