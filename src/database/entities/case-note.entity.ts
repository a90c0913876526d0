import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { CustomerRow } from './customer.entity';
import { TimeText } from './time-text.column';

const primaryKeyConstraintName = 'pk_case_notes';

/** A note about a case. */
@Entity('case_notes')
@Index('ix_case_notes_case', ['customerId', 'caseId', 'time'])
@Index('ix_case_notes_at', ['customerId', 'time'])
@Index('ix_case_notes_written', ['time', 'customerId'])
@ForeignKey(() => CustomerRow, ['customerId'], ['id'], {
  name: 'fk_case_notes_customer',
  onDelete: 'CASCADE',
})
export class CaseNoteRow {
  @PrimaryColumn({ name: 'customer_id', type: 'uuid', primaryKeyConstraintName })
  customerId: string;

  @PrimaryColumn({ type: 'uuid', primaryKeyConstraintName })
  id: string;

  @Column({ name: 'case_id', type: 'text', collation: 'C' })
  caseId: string;

  @Column({ name: 'at', type: 'timestamptz', select: false })
  time: Date;

  @TimeText('at')
  writtenAt: string;

  @Column({ type: 'text', collation: 'C' })
  text: string;

  @Column({ name: 'written_by', type: 'text', collation: 'C' })
  writtenBy: string;
}
