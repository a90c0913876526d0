import { isJsonObject, ownMember, type JsonObject, type JsonValue } from '@app/mapper';
import type { Call } from '../call';
import { flag, id, text, whole, type Fields } from '../fields';
import { byId, bySearch, byTime } from '../filters';
import { idText } from '../ids';
import { created, ok, type Operations } from '../operations';
import { refuseFields } from '../refusals';
import { checkOrigin, isBlank, read } from './writing';

const fields: Fields = {
  first_name: text,
  last_name: text,
  email_address: text,
  job_title: text,
  employee_id: text,
  is_employee: flag,
  is_active: flag,
  business_phone: text,
  business_phone_extension: whole,
  mobile_phone: text,
  fax_number: text,
  address: text,
  city: text,
  state_code: text,
  zip: text,
  country_code: text,
  notes: text,
  vendor_id: id,
  work_classification_id: id,
  origin_id: text,
  origin_data: text,
};
const filters = {
  id: byId('id'),
  updated_at: byTime('updated_at'),
  search: bySearch('name', 'email_address'),
};
/** Fields that a user must have at its creation and after every change. */
const required = ['last_name', 'email_address'];

/**
 * Users of the company with a login, in both versions of the API. Their IDs differ from those of the people resource.
 */
export function addUsers(operations: Operations): void {
  const scope = { scope: 'company_path' } as const;
  for (const version of ['v1.0', 'v1.3']) {
    const path = `/rest/${version}/companies/{company_id}/users`;
    operations
      .route('GET', path, {
        ...scope,
        run: (call) =>
          call.list({
            name: 'users',
            rows: call.world.tables.users.seenIn(''),
            filters,
            sorts: ['name'],
            show: (row) => row,
          }),
      })
      .route('POST', path, { ...scope, run: (call) => created(create(call)) })
      .route('GET', `${path}/{id}`, {
        ...scope,
        run: (call) => ok(call.seen('users', call.path('id'), () => true)),
      })
      .route('PATCH', `${path}/{id}`, {
        ...scope,
        run: (call) => {
          const before = call.current('users', call.path('id'), () => true);
          const user = { ...written(call, before, false), updated_at: call.world.stamp() };
          return ok(call.world.save('users', user, 'update'));
        },
      });
  }
}

function create(call: Call): JsonObject {
  const { world } = call;
  const stamp = world.stamp();
  const nothing = Object.fromEntries(Object.keys(fields).map((name): [string, JsonValue] => [name, null]));
  delete nothing['vendor_id'];
  const empty = {
    ...nothing,
    id: world.ids.next(),
    is_employee: false,
    is_active: true,
    vendor: null,
    created_at: stamp,
    updated_at: stamp,
    last_login_at: null,
  };
  return world.save('users', written(call, empty, true), 'create');
}

function written(call: Call, before: JsonObject, isNew: boolean): JsonObject {
  const sent = call.wrapped('user');
  const missing = required.filter(
    (name) => (isNew || ownMember(sent, name) !== undefined) && isBlank(ownMember(sent, name)),
  );
  if (missing.length > 0) {
    throw refuseFields(Object.fromEntries(missing.map((name) => [name, ["can't be blank"]])));
  }
  const { plain } = read(call.world, sent, fields, before);
  const { vendor_id: vendor, ...rest } = plain;
  const user: JsonObject = {
    ...before,
    ...rest,
    ...(vendor !== undefined && { vendor: vendorOf(call, vendor) }),
  };
  const names = [user['first_name'], user['last_name']].filter((name) => typeof name === 'string');
  const named = { ...user, name: names.join(' '), initials: names.map((name) => name.charAt(0)).join('') };
  checkOrigin(call.world, ['users'], named);
  return named;
}

function vendorOf({ world }: Call, vendor: JsonValue): JsonObject | null {
  if (vendor === null) return null;
  const found = world.tables.vendors.get(idText(vendor) ?? '');
  if (!isJsonObject(found)) throw refuseFields({ vendor_id: ['does not exist'] });
  return { id: found['id'] ?? null, name: found['name'] ?? null };
}
