import { Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';
import { CustomerRow } from './customer.entity';

/**
 * A record of a customer's sandbox that was changed or created there. All other records of a sandbox are those of the
 * sample portfolio.
 */
@Entity('sandbox_records')
@ForeignKey(() => CustomerRow, ['customerId'], ['id'], {
  name: 'fk_sandbox_records_customer',
  onDelete: 'CASCADE',
})
export class SandboxRecordRow {
  @PrimaryColumn({ name: 'customer_id', type: 'uuid', primaryKeyConstraintName: 'pk_sandbox_records' })
  customerId: string;

  @PrimaryColumn({ type: 'text', collation: 'C', primaryKeyConstraintName: 'pk_sandbox_records' })
  platform: string;

  @PrimaryColumn({
    name: 'entity_type',
    type: 'text',
    collation: 'C',
    primaryKeyConstraintName: 'pk_sandbox_records',
  })
  entityType: string;

  @PrimaryColumn({
    name: 'platform_id',
    type: 'text',
    collation: 'C',
    primaryKeyConstraintName: 'pk_sandbox_records',
  })
  platformId: string;

  @Column({ type: 'text', collation: 'C', nullable: true })
  variant: string | null;

  /** JSON. Read and write it as text (`payload::text`): the driver's parser loses the spelling of numbers. */
  @Column({ type: 'json' })
  payload: unknown;

  /** The last command that wrote the record. It settles a write with an unknown outcome. */
  @Column({ name: 'command_id', type: 'uuid', nullable: true })
  commandId: string | null;
}
