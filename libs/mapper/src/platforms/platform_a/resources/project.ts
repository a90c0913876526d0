import {
  fields,
  laterInSandboxesOnly,
  never,
  notEchoed,
  onlyWhenCreating,
  placed,
  type NativeFields,
} from '../../../resource/native-field';
import { NativeResource } from '../../../resource/native-resource';
import { address, FIXED_CURRENCY, origin, ownCurrency, ownId, stamps } from './common';

const ONCE = 'is taken for a new project only; a live platform refuses it later';

/** Projects. There is no call that changes a currency; dates of the schedule are given once, under other names. */
export const projects = new NativeResource({
  name: 'projects',
  path: '/rest/v1.0/projects',
  wrapper: 'project',
  requiredToCreate: ['name'],
  fields: [
    ownId,
    fields('text', 'name', 'project_number', 'description'),
    fields('boolean', 'active'),
    fields('date', 'start_date', 'completion_date', 'warranty_start_date', 'warranty_end_date'),
    asNumber('total_value'),
    address,
    fields('text', 'county', 'phone', 'time_zone', 'tz_name', 'store_number', 'accounting_project_number'),
    notEchoed(fields('text', 'fax')),
    fields('decimal', 'latitude', 'longitude', 'square_feet'),
    fields('word', 'flag', 'sector', 'work_scope', 'delivery_method'),
    fields('id', 'parent_job_id', 'program_id', 'office_id'),
    fields('id', 'project_stage_id', 'project_type_id', 'project_region_id'),
    fields('id', 'project_owner_type_id', 'project_bid_type_id'),
    fields('list', 'department_ids'),
    notEchoed(fields('id', 'standard_cost_code_list_id')),
    origin,
    laterInSandboxesOnly(
      ONCE,
      scheduled('actual_start_date', 'override_start_date'),
      scheduled('projected_finish_date', 'override_end_date'),
      fields('text', 'code'),
      notEchoed(fields('word', 'priority'), asNumber('estimated_budget')),
      notEchoed(fields('boolean', 'enable_copy_of_standard_cost_codes')),
    ),
    notEchoed(onlyWhenCreating(FIXED_CURRENCY, fields('code', ownCurrency))),
    never('is put together from number and name', fields('text', 'display_name')),
    stamps,
    never('is the user who created it', fields('object', 'created_by')),
    never('is the company of the connection', fields('object', 'company')),
    never(FIXED_CURRENCY, fields('object', 'currency_configuration')),
    never('is chosen by project_stage_id', fields('object', 'project_stage'), fields('text', 'stage')),
  ],
});

function scheduled(name: string, override: string): NativeFields {
  return placed('date', name, {
    creating: { kind: 'member', name: override, beside: { [`${override}_check`]: true } },
  });
}

/** Text in responses, a JSON number in requests. */
function asNumber(name: string): NativeFields {
  const place = { kind: 'member', name, form: 'number' } as const;
  return placed('decimal', name, { creating: place, changing: place });
}
