import { fields, never } from '../../../resource/native-field';
import { NativeResource } from '../../../resource/native-resource';
import { address, ownId, stamps } from './common';

/** People of the company, and its users: two shapes of one thing. */
export const people = new NativeResource({
  name: 'people',
  requiredToCreate: ['last_name'],
  fields: [
    ownId,
    fields('text', 'employee_id', 'first_name', 'last_name', 'contact.email', 'email_address', 'job_title'),
    fields('text', 'business_phone', 'mobile_phone'),
    address,
    fields('boolean', 'contact.is_active', 'is_active', 'is_employee'),
    never('is put together from the other names', fields('text', 'name', 'initials')),
    never('is given by the platform', fields('id', 'user_id'), fields('text', 'user_uuid')),
    stamps,
    never('is set when the user logs in', fields('time', 'last_login_at')),
  ],
});
