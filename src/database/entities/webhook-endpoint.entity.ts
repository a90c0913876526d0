import { Column, Entity, ForeignKey, Index, PrimaryColumn, VirtualColumn } from 'typeorm';
import { CustomerRow } from './customer.entity';
import { TimeText } from './time-text.column';

const primaryKeyConstraintName = 'pk_webhook_endpoints';

/** The driver returns 64-bit numbers as text. These stay far below what a number holds exactly. */
const transformer = {
  from: (count: string | null) => (count === null ? null : Number(count)),
  to: (count: number | null) => count,
};

/** An address to which events of a customer are delivered, with its place in the feed. */
@Entity('webhook_endpoints')
@Index('ix_webhook_endpoints_failing', ['customerId'], { where: 'failing_since is not null' })
@ForeignKey(() => CustomerRow, ['customerId'], ['id'], {
  name: 'fk_webhook_endpoints_customer',
  onDelete: 'CASCADE',
})
export class WebhookEndpointRow {
  @PrimaryColumn({ name: 'customer_id', type: 'uuid', primaryKeyConstraintName })
  customerId: string;

  @PrimaryColumn({ type: 'uuid', primaryKeyConstraintName })
  id: string;

  @Column({ type: 'text', collation: 'C' })
  url: string;

  /** The types of events that it gets; none for all. */
  @Column({ type: 'text', array: true, collation: 'C' })
  types: string[];

  @Column({ type: 'text', collation: 'C', nullable: true })
  description: string | null;

  @Column({ type: 'boolean' })
  enabled: boolean;

  /** Why the service has disabled it; null if it has not. */
  @Column({ name: 'disabled_reason', type: 'text', collation: 'C', nullable: true })
  disabledReason: string | null;

  @Column({ name: 'created_at', type: 'timestamptz', select: false })
  createdTime: Date;

  @TimeText('created_at')
  createdAt: string;

  /** Events from before this time are not for it. */
  @Column({ name: 'starts_at', type: 'timestamptz', select: false })
  startsTime: Date;

  /** The number of the last event that was read for it; null before the first. */
  @Column({ type: 'bigint', nullable: true, transformer, select: false })
  position: number | null;

  /** Deliveries that wait for another attempt. */
  @Column({ name: 'open_deliveries', type: 'int', default: 0 })
  openDeliveries: number;

  /** When the next of them is due; null if none waits. */
  @Column({ name: 'retry_at', type: 'timestamptz', nullable: true, select: false })
  retryAt: Date | null;

  /** Failed attempts since the last one that succeeded. */
  @Column({ type: 'int', default: 0 })
  failures: number;

  /** Since when no attempt has succeeded; null if the last one has. */
  @Column({ name: 'failing_since', type: 'timestamptz', nullable: true })
  failingSince: Date | null;

  /** All attempts so far. */
  @Column({ type: 'bigint', default: 0, transformer, select: false })
  attempts: number;

  /** When it last had its turn. */
  @Column({ name: 'worked_at', type: 'timestamptz', select: false })
  workedAt: Date;

  /** Under which an instance delivers to it; null while none does. */
  @Column({ type: 'uuid', nullable: true, select: false })
  claim: string | null;

  @Column({ name: 'leased_until', type: 'timestamptz', default: '-infinity', select: false })
  leasedUntil: Date;

  /** When it was last set back in the feed. */
  @Column({ name: 'rewound_at', type: 'timestamptz', nullable: true, select: false })
  rewoundAt: Date | null;

  /** Seconds since then, by the database's clock. */
  @VirtualColumn('float8', { query: (row) => `extract(epoch from now() - ${row}.rewound_at)::float8` })
  secondsSinceRewound: number | null;
}
