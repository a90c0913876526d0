import { timeEntry as fields } from '../../canonical/types';
import type { JsonValue } from '../../json/json-value';
import { absent, at, folded, own, reference, where } from '../../mapping/binding';
import { shown, Unfit, withoutContext } from '../../mapping/codec';
import { Mapping } from '../../mapping/mapping';
import { code, date, decimal, idIn, keyIn, timestamp, enumeration } from './codecs';
import { everyResource } from './every-resource';
import { timeRegistrationEntries } from './resources/time-entry';

const unitCode = code(10);
const HOURS = ['H', 'HOUR', 'HOURS', 'HR', 'HRS', 'HUR'];

/**
 * A time registration entry. The platform itself misspells `lastModfiedDateTime`. Hours are the quantity, if the unit
 * of measure is hours.
 */
export const timeEntry = Mapping.define<typeof fields>(
  'time_entry',
  timeRegistrationEntries,
  {
    date: at('date', date),
    hours: where('unitOfMeasureCode', refuseOtherUnits, at('quantity', decimal)),
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

// A company chooses the codes of its units itself. The quantity of a unit that may be a day would be a wrong number of hours.
function refuseOtherUnits(unit: JsonValue): void {
  const code = unitCode.decode(unit, withoutContext)?.trim().toUpperCase() ?? '';
  if (code !== '' && !HOURS.includes(code))
    throw new Unfit(`is ${shown(unit)}, and quantity is read in hours alone (${HOURS.join(', ')})`);
}
