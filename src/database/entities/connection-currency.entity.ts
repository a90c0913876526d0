import { Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';
import { ConnectionRow } from './connection.entity';

const primaryKeyConstraintName = 'pk_connection_currencies';

/** A currency that a connection had until a run changed it. The end of the previous row, if any, is its start. */
@Entity('connection_currencies')
@ForeignKey(() => ConnectionRow, ['customerId', 'platform'], ['customerId', 'platform'], {
  name: 'fk_connection_currencies_connection',
  onDelete: 'CASCADE',
})
export class ConnectionCurrencyRow {
  @PrimaryColumn({ name: 'customer_id', type: 'uuid', primaryKeyConstraintName })
  customerId: string;

  @PrimaryColumn({ type: 'text', collation: 'C', primaryKeyConstraintName })
  platform: string;

  /** ISO 4217. */
  @Column({ type: 'text', collation: 'C' })
  currency: string;

  @PrimaryColumn({ type: 'timestamptz', primaryKeyConstraintName })
  until: Date;

  /** The run that changed it. */
  @Column({ name: 'ended_by', type: 'uuid', nullable: true })
  endedBy: string | null;
}
