import { employee as fields } from '../../canonical/types';
import { absent, at, own } from '../../mapping/binding';
import { Mapping } from '../../mapping/mapping';
import { address, code, date, text, timestamp, enumeration } from './codecs';
import { everyResource } from './every-resource';
import { employees } from './resources/employee';

/** An employee. The shown name is put together from the others. */
export const employee = Mapping.define<typeof fields>(
  'employee',
  employees,
  {
    number: at('number', code(20)),
    first_name: at('givenName', text(30)),
    middle_name: at('middleName', text(30)),
    last_name: at('surname', text(30)),
    display_name: at('displayName', text(100)),
    email: at('email', text(80)),
    personal_email: at('personalEmail', text(80)),
    job_title: at('jobTitle', text(30)),
    phone: at('phoneNumber', text(30)),
    mobile: at('mobilePhone', text(30)),
    address,
    status: at('status', enumeration({ active: 'Active', inactive: 'Inactive', terminated: 'Terminated' })),
    is_employee: absent,
    hired_on: at('employmentDate', date),
    terminated_on: at('terminationDate', date),
    created_at: absent,
    updated_at: own('lastModifiedDateTime', timestamp),
  },
  everyResource,
);
