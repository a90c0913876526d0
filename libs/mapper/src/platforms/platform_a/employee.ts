import { employee as fields } from '../../canonical/types';
import { valueOfEither } from './alternatives';
import { absent, at, own } from '../../mapping/binding';
import { booleanCodec } from '../../mapping/codecs/number';
import { enumerationCodec } from '../../mapping/codecs/enumeration';
import { Mapping } from '../../mapping/mapping';
import { address, text, timestamp } from './codecs';
import { recordId } from './record-id';
import { people } from './resources/employee';

const status = enumerationCodec({ active: true, inactive: false, terminated: false });

/** A person of the company, in the shape of the people resource or of the users resource. */
export const employee = Mapping.define<typeof fields>(
  'employee',
  people,
  {
    number: at('employee_id', text),
    first_name: at('first_name', text),
    middle_name: absent,
    last_name: at('last_name', text),
    display_name: at('name', text),
    email: valueOfEither('contact.email', 'email_address', text),
    personal_email: absent,
    job_title: at('job_title', text),
    phone: at('business_phone', text),
    mobile: at('mobile_phone', text),
    address,
    status: { ...valueOfEither('contact.is_active', 'is_active', status), folding: true },
    is_employee: at('is_employee', booleanCodec),
    hired_on: absent,
    terminated_on: absent,
    created_at: own('created_at', timestamp),
    updated_at: own('updated_at', timestamp),
  },
  {
    id: recordId,
  },
);
