import { timeEntry as fields } from '../../canonical/types';
import { at, folded, own, reference } from '../../mapping/binding';
import { booleanCodec, integerCodec } from '../../mapping/codecs/number';
import { enumerationCodec } from '../../mapping/codecs/enumeration';
import { Mapping } from '../../mapping/mapping';
import { date, decimal, idIn, text, timestamp } from './codecs';
import { recordId } from './record-id';
import { timecardEntries } from './resources/time-entry';

/** A timecard entry. Its `party` is a person; the day is local to the project and never derived from the times. */
export const timeEntry = Mapping.define<typeof fields>(
  'time_entry',
  timecardEntries,
  {
    date: at('date', date),
    hours: at('hours', decimal),
    employee_id: reference(idIn('party.id')),
    project_id: reference(idIn('project.id')),
    cost_code: at('cost_code.full_code', text),
    status: folded(
      'approval_status',
      enumerationCodec({
        pending: 'pending',
        submitted: 'pending',
        rejected: 'pending',
        reviewed: 'reviewed',
        approved: 'approved',
        completed: 'completed',
      }),
    ),
    description: at('description', text),
    billable: at('billable', booleanCodec),
    started_at: at('time_in', text),
    ended_at: at('time_out', text),
    break_minutes: at('lunch_time', integerCodec),
    time_type: at('timecard_time_type.time_type', text),
    deleted_at: at('deleted_at', timestamp),
    created_at: own('created_at', timestamp),
    updated_at: own('updated_at', timestamp),
  },
  {
    id: recordId,
  },
);
