import { ownMember, type JsonObject, type JsonValue } from '@app/mapper';
import type { Call } from '../call';
import { flag, id, text, type Fields } from '../fields';
import { byFlag, bySearch } from '../filters';
import { created, ok, type Operations } from '../operations';
import { refuseFields } from '../refusals';
import { objectAt } from '../totals';
import { viewOf, without } from '../views';
import { isBlank, read } from './writing';

const fields: Fields = {
  first_name: text,
  last_name: text,
  job_title: text,
  employee_id: text,
  is_employee: flag,
  active: flag,
  work_classification_id: id,
  origin_id: text,
};
const views = { normal: without('job_title'), extended: (row: JsonObject) => row };

/** People of the company, with or without a login. They cannot be read individually, and have no time of change. */
export function addPeople(operations: Operations): void {
  const path = '/rest/v1.0/companies/{company_id}/people';
  const scope = { scope: 'company_path' } as const;
  const list = (name: 'people' | 'inactive_people', isActive: boolean) => (call: Call) =>
    call.list({
      name,
      rows: call.world.tables.people
        .seenIn('')
        .filter((row) => (objectAt(row, 'contact')['is_active'] === true) === isActive),
      filters: { is_employee: byFlag('is_employee'), search: bySearch('first_name', 'last_name') },
      show: shown(call),
    });
  operations
    .route('GET', path, { ...scope, run: list('people', true) })
    .route('GET', `${path}/inactive`, { ...scope, run: list('inactive_people', false) })
    .route('POST', path, {
      ...scope,
      run: (call) => {
        const empty: JsonObject = {
          id: call.world.ids.next(),
          first_name: null,
          last_name: null,
          job_title: null,
          is_employee: false,
          employee_id: null,
          user_id: null,
          work_classification_id: null,
          origin_id: null,
          contact: { is_active: true, email: null },
        };
        return created(shown(call)(call.world.save('people', written(call, empty, true), 'create')));
      },
    })
    .route('PATCH', `${path}/{id}`, {
      ...scope,
      run: (call) => {
        const before = call.current('people', call.path('id'), () => true);
        return ok(shown(call)(call.world.save('people', written(call, before, false), 'update')));
      },
    });
}

function shown(call: Call): (row: JsonObject) => JsonValue {
  return viewOf(views, 'normal', call.query('view'));
}

function written(call: Call, before: JsonObject, isNew: boolean): JsonObject {
  const sent = call.wrapped('person');
  const name = ownMember(sent, 'last_name');
  if ((isNew || name !== undefined) && isBlank(name)) throw refuseFields({ last_name: ["can't be blank"] });
  const { plain } = read(call.world, sent, fields, before);
  const { active, ...rest } = plain;
  const contact = objectAt(before, 'contact');
  return { ...before, ...rest, ...(active !== undefined && { contact: { ...contact, is_active: active } }) };
}
