import { fields, never } from '../../../resource/native-field';
import { NativeResource } from '../../../resource/native-resource';
import { ownId, projectScope, stamps } from './common';

/** Timecard entries. */
export const timecardEntries = new NativeResource({
  name: 'timecard_entries',
  requiredToCreate: ['date', 'project.id'],
  fields: [
    ownId,
    fields('date', 'date'),
    fields('decimal', 'hours'),
    fields('id', 'party.id'),
    projectScope('project.id'),
    fields('code', 'cost_code.full_code'),
    fields('word', 'approval_status'),
    fields('text', 'description', 'time_in', 'time_out', 'timecard_time_type.time_type'),
    fields('boolean', 'billable'),
    fields('integer', 'lunch_time'),
    never('is the user who created it', fields('object', 'created_by')),
    stamps,
    never('is set when a user deletes the record', fields('time', 'deleted_at')),
    never('follows from the timesheet', fields('boolean', 'in_progress', 'signed', 'injured')),
  ],
});
