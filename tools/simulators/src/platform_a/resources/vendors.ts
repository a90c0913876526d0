import { isJsonObject, ownMember, type JsonObject } from '@app/mapper';
import { Refusal } from '../../server';
import type { Call } from '../call';
import { anything, flag, id, text, type Fields } from '../fields';
import { byId, bySearch, byText, byTime } from '../filters';
import { idText } from '../ids';
import { created, ok, type Operations } from '../operations';
import { notFound, refuseFields } from '../refusals';
import { vendorViews, viewOf } from '../views';
import type { World } from '../world';
import { syncReply } from './sync';
import { blank, checkOrigin, isBlank, read } from './writing';

const vendorFields: Fields = {
  name: text,
  abbreviated_name: text,
  trade_name: text,
  address: text,
  city: text,
  state_code: text,
  zip: text,
  country_code: text,
  business_phone: text,
  mobile_phone: text,
  fax_number: text,
  email_address: text,
  website: text,
  is_active: flag,
  license_number: text,
  labor_union: text,
  authorized_bidder: flag,
  prequalified: flag,
  union_member: flag,
  non_union_prevailing_wage: flag,
  notes: text,
  parent_id: id,
  vendor_group_id: id,
  primary_contact_id: id,
  trade_ids: anything,
  standard_cost_code_ids: anything,
  bidding_distribution_ids: anything,
  bidding: anything,
  origin_id: text,
  origin_data: text,
  origin_code: text,
};

/** The fields that a search compares. */
export const searched = bySearch('name', 'origin_code', 'business_register.identifier');
const filters = {
  id: byId('id'),
  parent_id: byId('parent.id'),
  search: searched,
  origin_id: byText('origin_id'),
  created_at: byTime('created_at'),
  updated_at: byTime('updated_at'),
};

export function addVendors(operations: Operations): void {
  const inactive = '/rest/v1.0/companies/{company_id}/vendors/inactive';
  operations
    .route('GET', '/rest/v1.0/vendors', {
      scope: 'company_query',
      run: (call) =>
        call.list({
          name: 'vendors',
          rows: call.world.tables.vendors.seenIn('').filter((row) => row['is_active'] !== false),
          filters,
          show: shownAs(call),
          sorts: ['name'],
        }),
    })
    .route('POST', '/rest/v1.0/vendors', {
      scope: 'company_body',
      run: (call) => created(shownAs(call)(createVendor(call.world, call.wrapped('vendor')))),
    })
    .route('PATCH', '/rest/v1.0/vendors/sync', {
      scope: 'company_body',
      run: (call) => {
        const { world } = call;
        return syncReply(call, {
          byId: (vendorId) => world.tables.vendors.get(vendorId),
          byOrigin: (origin) => world.tables.vendors.all().find((row) => row['origin_id'] === origin),
          create: (attributes) => createVendor(world, attributes),
          update: (current, attributes) => update(world, current, attributes),
        });
      },
    })
    .route('GET', '/rest/v1.0/vendors/{id}', {
      scope: 'company_query',
      run: (call) => ok(shownAs(call)(call.seen('vendors', call.path('id'), () => true))),
    })
    .route('PATCH', '/rest/v1.0/vendors/{id}', {
      scope: 'company_body',
      run: (call) => {
        const current = call.current('vendors', call.path('id'), () => true);
        const sent = call.wrapped('vendor');
        // An update requires the name, as a creation does.
        if (isBlank(ownMember(sent, 'name'))) throw refuseFields({ name: ["can't be blank"] });
        return ok(shownAs(call)(update(call.world, current, sent)));
      },
    })
    .route('POST', '/rest/v1.0/vendors/{id}/business_register', {
      scope: 'company_header',
      run: (call) => created(register(call, true)),
    })
    .route('PATCH', '/rest/v1.0/vendors/{id}/business_register', {
      scope: 'company_header',
      run: (call) => ok(register(call, false)),
    })
    .route('GET', inactive, {
      scope: 'company_path',
      run: (call) =>
        call.list({
          name: 'inactive_vendors',
          rows: call.world.tables.vendors.seenIn('').filter((row) => row['is_active'] === false),
          show: shownAs(call),
          sorts: ['name'],
        }),
    })
    .route('PATCH', `${inactive}/{id}`, {
      scope: 'company_path',
      run: (call) => {
        const row = call.current('vendors', call.path('id'), ({ is_active: active }) => active === false);
        const { world } = call;
        return ok(world.save('vendors', { ...row, is_active: true, updated_at: world.stamp() }, 'update'));
      },
    });
}

function shownAs(call: Call): (row: JsonObject) => JsonObject[string] {
  return viewOf(vendorViews, 'extended', call.query('view'));
}

/**
 * Creates a vendor of the company.
 *
 * @throws Refusal 422 without a name
 */
export function createVendor(world: World, sent: JsonObject): JsonObject {
  if (isBlank(ownMember(sent, 'name'))) throw refuseFields({ name: ["can't be blank"] });
  return world.save('vendors', written(world, blank(world, 'customer'), sent), 'create');
}

function update(world: World, current: JsonObject, sent: JsonObject): JsonObject {
  const name = ownMember(sent, 'name');
  if (name !== undefined && isBlank(name)) throw refuseFields({ name: ["can't be blank"] });
  return world.save('vendors', { ...written(world, current, sent), updated_at: world.stamp() }, 'update');
}

function written(world: World, current: JsonObject, sent: JsonObject): JsonObject {
  const { plain } = read(world, sent, vendorFields, current);
  const { parent_id: parentId, ...rest } = plain;
  const shown = Object.entries(rest).filter(
    ([name]) => !/_ids?$|^bidding$/.test(name) || name === 'origin_id',
  );
  const vendor: JsonObject = {
    ...current,
    ...Object.fromEntries(shown),
    ...(parentId === undefined ? {} : { parent: parentOf(world, parentId) }),
    ...(rest['name'] === undefined ? {} : { company: rest['name'] }),
  };
  checkOrigin(world, ['vendors'], vendor);
  return vendor;
}

function parentOf(world: World, parentId: JsonObject[string]): JsonObject | null {
  if (parentId === null) return null;
  const parent = world.tables.vendors.get(idText(parentId) ?? '');
  if (parent === undefined) throw refuseFields({ parent_id: ['does not exist'] });
  return { id: parentId, name: parent['name'] ?? null };
}

function register(call: Call, isNew: boolean): JsonObject {
  const { world } = call;
  const vendor = call.current('vendors', call.path('id'), () => true);
  const before = vendor['business_register'];
  const has = isJsonObject(before);
  if (isNew && has) {
    throw new Refusal({ status: 409, json: { message: 'The vendor already has a business register' } });
  }
  if (!isNew && !has) throw notFound();
  const sent = { ...(has ? before : {}), ...call.body() };
  const { type, identifier } = sent;
  if (type !== 'abn' && type !== 'ein') throw refuseFields({ type: ['is not included in the list'] });
  if (typeof identifier !== 'string' || identifier.trim() === '') {
    throw refuseFields({ identifier: ["can't be blank"] });
  }
  const kept: JsonObject = { id: has ? (before['id'] ?? null) : world.ids.next(), type, identifier };
  world.save('vendors', { ...vendor, business_register: kept, updated_at: world.stamp() }, 'update');
  return kept;
}
