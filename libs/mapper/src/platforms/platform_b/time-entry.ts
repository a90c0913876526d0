import { timeEntry as fields } from '../../canonical/types';
import { absent, at, folded, own, reference } from '../../mapping/binding';
import { Mapping } from '../../mapping/mapping';
import { code, date, decimal, idIn, keyIn, timestamp, enumeration } from './codecs';
import { everyResource } from './every-resource';
import { timeRegistrationEntries } from './resources/time-entry';

/**
 * A time registration entry. The platform itself misspells `lastModfiedDateTime`. Hours are the quantity; the unit of
 * measure says so.
 */
export const timeEntry = Mapping.define<typeof fields>(
  'time_entry',
  timeRegistrationEntries,
  {
    date: at('date', date),
    hours: at('quantity', decimal),
    employee_id: reference(idIn('employeeId'), keyIn('employeeNumber', code(20))),
    project_id: reference(idIn('jobId'), keyIn('jobNumber', code(20))),
    cost_code: at('jobTaskNumber', code(20)),
    status: folded(
      'status',
      enumeration({
        pending: 'Open',
        submitted: 'Submitted',
        reviewed: 'Submitted',
        approved: 'Approved',
        completed: 'Approved',
        rejected: 'Rejected',
      }),
    ),
    description: absent,
    billable: absent,
    started_at: absent,
    ended_at: absent,
    break_minutes: absent,
    time_type: absent,
    deleted_at: absent,
    created_at: absent,
    updated_at: own('lastModfiedDateTime', timestamp),
  },
  everyResource,
);
