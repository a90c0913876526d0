import { Check, Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** A tenant. Deleting the row deletes all rows that refer to it by foreign keys. Code deletes the customer's keys. */
@Entity('customers')
@Check('ck_customers_kind', `"kind" in ('demo', 'standard')`)
@Index('ix_customers_demo', ['createdAt'], { where: `kind = 'demo'` })
export class CustomerRow {
  @PrimaryColumn({ type: 'uuid', primaryKeyConstraintName: 'pk_customers' })
  id: string;

  @Column({ type: 'text', collation: 'C' })
  name: string;

  @Column({ type: 'text', collation: 'C' })
  kind: 'demo' | 'standard';

  /** IANA name of the zone in which the customer's days begin and end. */
  @Column({ name: 'time_zone', type: 'text', collation: 'C', default: 'UTC' })
  timeZone: string;

  @Column({ name: 'created_at', type: 'timestamptz', default: () => 'now()' })
  createdAt: Date;
}
