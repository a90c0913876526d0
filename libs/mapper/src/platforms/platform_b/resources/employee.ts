import { fields, never } from '../../../resource/native-field';
import { lastModified, ownId, page } from './common';

/** Employees. The shown name is put together from the others. */
export const employees = page({
  name: 'employees',
  requiredToCreate: [],
  fields: [
    ownId,
    fields('code', 'number'),
    never('is put together from the other names', fields('text', 'displayName')),
    fields('text', 'givenName', 'middleName', 'surname', 'jobTitle'),
    fields('text', 'addressLine1', 'addressLine2', 'city', 'state'),
    fields('code', 'country'),
    fields('text', 'postalCode', 'phoneNumber', 'mobilePhone', 'email', 'personalEmail'),
    fields('date', 'employmentDate', 'terminationDate'),
    fields('word', 'status'),
    lastModified,
  ],
});
