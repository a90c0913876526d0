import type { PlatformName } from '@app/mapper';
import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { CustomerRow } from './customer.entity';
import { TimeText } from './time-text.column';

const primaryKeyConstraintName = 'pk_passthrough_requests';

/** A write that a caller has sent to a platform through the passthrough. Its body and its query are not stored. */
@Entity('passthrough_requests')
@Check('ck_passthrough_requests_state', `"state" in ('sent', 'answered', 'not_sent')`)
@Check(
  'ck_passthrough_requests_answered',
  `num_nulls(status, answered_at) = case when "state" = 'answered' then 0 else 2 end`,
)
@Index('ix_passthrough_requests_listed', ['customerId', 'platform', 'sentTime', 'id'])
@Index('ix_passthrough_requests_sent', ['sentTime', 'customerId'])
@ForeignKey(() => CustomerRow, ['customerId'], ['id'], {
  name: 'fk_passthrough_requests_customer',
  onDelete: 'CASCADE',
})
export class PassthroughRequestRow {
  @PrimaryColumn({ name: 'customer_id', type: 'uuid', primaryKeyConstraintName })
  customerId: string;

  @PrimaryColumn({ type: 'uuid', primaryKeyConstraintName })
  id: string;

  @Column({ type: 'text', collation: 'C' })
  platform: PlatformName;

  @Column({ type: 'text', collation: 'C' })
  method: string;

  @Column({ type: 'text', collation: 'C' })
  path: string;

  /** The API key of the caller. */
  @Column({ name: 'key_id', type: 'uuid' })
  keyId: string;

  /** The caller's request. */
  @Column({ name: 'request_id', type: 'text', collation: 'C' })
  requestId: string;

  @Column({ name: 'sent_at', type: 'timestamptz', default: () => 'now()', select: false })
  sentTime: Date;

  /** When it was stored, right before it was sent; with microseconds. */
  @TimeText('sent_at')
  sentAt: string;

  /** `sent`: it is under way, or its outcome is not known. */
  @Column({ type: 'text', collation: 'C', default: 'sent' })
  state: 'sent' | 'answered' | 'not_sent';

  /** HTTP status of the platform's response; null if there is none. */
  @Column({ type: 'integer', nullable: true })
  status: number | null;

  @Column({ name: 'answered_at', type: 'timestamptz', nullable: true, select: false })
  answeredTime: Date | null;
}
