import { Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';
import { CustomerRow } from './customer.entity';

/** What the gate to a platform remembers of the calls for a customer. Unlogged: nothing is lost with it but counts. */
@Entity('platform_gates')
@ForeignKey(() => CustomerRow, ['customerId'], ['id'], {
  name: 'fk_platform_gates_customer',
  onDelete: 'CASCADE',
})
export class PlatformGateRow {
  @PrimaryColumn({ name: 'customer_id', type: 'uuid', primaryKeyConstraintName: 'pk_platform_gates' })
  customerId: string;

  @PrimaryColumn({ type: 'text', collation: 'C', primaryKeyConstraintName: 'pk_platform_gates' })
  platform: string;

  /** Of a form that only the gate knows; JSON null for one that is new. */
  @Column({ type: 'json' })
  state: unknown;
}
