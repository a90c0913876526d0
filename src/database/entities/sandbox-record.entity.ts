import type { PlatformName, StoredEntityType } from '@app/mapper';
import { Column, Entity, ForeignKey, PrimaryColumn, VirtualColumn } from 'typeorm';
import { CustomerRow } from './customer.entity';

const primaryKeyConstraintName = 'pk_sandbox_records';

/** A record of a sandbox that was changed or created there. */
@Entity('sandbox_records')
@ForeignKey(() => CustomerRow, ['customerId'], ['id'], {
  name: 'fk_sandbox_records_customer',
  onDelete: 'CASCADE',
})
export class SandboxRecordRow {
  @PrimaryColumn({ name: 'customer_id', type: 'uuid', primaryKeyConstraintName })
  customerId: string;

  @PrimaryColumn({ type: 'text', collation: 'C', primaryKeyConstraintName })
  platform: PlatformName;

  @PrimaryColumn({ name: 'entity_type', type: 'text', collation: 'C', primaryKeyConstraintName })
  entityType: StoredEntityType;

  @PrimaryColumn({ name: 'platform_id', type: 'text', collation: 'C', primaryKeyConstraintName })
  platformId: string;

  @Column({ type: 'text', collation: 'C', nullable: true })
  variant: string | null;

  @Column({ type: 'json' })
  payload: unknown;

  /** The record, with numbers as they were written. */
  @VirtualColumn({ type: 'text', query: (row) => `${row}.payload::text` })
  payloadText: string;

  /** The command that wrote the record last; null for a record that a migration inserted. */
  @Column({ name: 'command_id', type: 'uuid', nullable: true })
  commandId: string | null;
}
