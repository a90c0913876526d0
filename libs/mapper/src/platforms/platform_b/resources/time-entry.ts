import { fields, never, onlyWhenCreating } from '../../../resource/native-field';
import { ownId, page } from './common';

/** Time registration entries. The platform itself misspells `lastModfiedDateTime`. */
export const timeRegistrationEntries = page({
  name: 'timeRegistrationEntries',
  requiredToCreate: ['date', 'employeeId'],
  fields: [
    ownId,
    onlyWhenCreating(
      'is fixed when the entry is created',
      fields('guid', 'employeeId'),
      fields('code', 'employeeNumber'),
      fields('date', 'date'),
      fields('code', 'jobTaskNumber'),
    ),
    fields('guid', 'jobId'),
    fields('code', 'jobNumber'),
    fields('decimal', 'quantity'),
    never('is moved by actions of the platform', fields('word', 'status')),
    never('follows from the time sheet', fields('text', 'absence'), fields('integer', 'lineNumber')),
    never(
      'is set up for the resource',
      fields('guid', 'unitOfMeasureId'),
      fields('code', 'unitOfMeasureCode'),
    ),
    never('is set by the platform with each write', fields('time', 'lastModfiedDateTime')),
  ],
});
