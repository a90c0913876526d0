import { ownMember, decimalIn, type JsonObject, type JsonValue } from '@app/mapper';
import { amountText } from '../amounts';
import type { Call } from '../call';
import { amount, anything, date, flag, id, number, oneOf, text, whole, type Fields } from '../fields';
import { byFlag, byId, bySearch, byText, byTime, filtersIn } from '../filters';
import { idText } from '../ids';
import { created, ok, type Operations } from '../operations';
import { forbidden, refuseFields } from '../refusals';
import { projectListViews, projectShow, viewOf } from '../views';
import type { World } from '../world';
import { syncReply } from './sync';
import { blank, checkOrigin, isBlank, read } from './writing';
import { textOf } from '../text';

const writable: Fields = {
  name: text,
  project_number: text,
  description: text,
  active: flag,
  address: text,
  city: text,
  state_code: text,
  country_code: text,
  zip: text,
  phone: text,
  time_zone: text,
  start_date: date,
  completion_date: date,
  warranty_start_date: date,
  warranty_end_date: date,
  total_value: amount,
  estimated_value: number,
  square_feet: whole,
  flag: oneOf('Red', 'Yellow', 'Green'),
  store_number: text,
  accounting_project_number: text,
  sector: text,
  work_scope: oneOf('new_construction', 'renovation_alteration', 'maintenance_service'),
  delivery_method: text,
  parent_job_id: id,
  project_stage_id: id,
  project_type_id: id,
  project_region_id: id,
  project_owner_type_id: id,
  project_bid_type_id: id,
  program_id: id,
  office_id: id,
  department_ids: anything,
  origin_id: text,
  origin_data: text,
  origin_code: text,
};
const onCreate: Fields = {
  ...writable,
  code: text,
  latitude: number,
  longitude: number,
  priority: oneOf('low', 'medium', 'high'),
  estimated_budget: number,
  currency_configuration: anything,
  enable_copy_of_standard_cost_codes: flag,
  override_start_date: date,
  override_start_date_check: flag,
  override_end_date: date,
  override_end_date_check: flag,
};
const onUpdate: Fields = { ...writable, county: text, fax: text, standard_cost_code_list_id: id };
/** Fields that are accepted but never shown. */
const notShown = [
  'priority',
  'estimated_budget',
  'currency_configuration',
  'enable_copy_of_standard_cost_codes',
  'standard_cost_code_list_id',
  'fax',
];
const stages: Readonly<Record<string, string>> = {
  '30': 'Pre-Construction',
  '31': 'Course of Construction',
  '32': 'Post-Construction',
};

const filters = {
  by_status: () => true,
  id: byId('id'),
  name: bySearch('name'),
  project_number: byText('project_number'),
  origin_id: byText('origin_id'),
  created_at: byTime('created_at'),
  updated_at: byTime('updated_at'),
  is_demo: byFlag('is_demo'),
  template: byFlag('template'),
};

export function addProjects(operations: Operations): void {
  operations
    .route('GET', '/rest/v1.1/projects', { scope: 'company_query', run: list })
    .route('POST', '/rest/v1.0/projects', {
      scope: 'company_body',
      run: (call) => created(projectShow(create(call.world, call.wrapped('project')))),
    })
    .route('PATCH', '/rest/v1.0/projects/sync', {
      scope: 'company_body',
      run: (call) => {
        const { world } = call;
        return syncReply(call, {
          byId: (projectId) => world.tables.projects.get(projectId),
          byOrigin: (origin) => world.tables.projects.all().find((row) => row['origin_id'] === origin),
          create: (attributes) => projectShow(create(world, attributes)),
          update: (current, attributes) => projectShow(update(world, current, attributes)),
        });
      },
    })
    .route('GET', '/rest/v1.0/projects/{id}', {
      scope: 'company_query',
      run: (call) => {
        const row = call.seen('projects', call.path('id'), () => true);
        checkPermitted(call.world, row);
        return ok(projectShow(row));
      },
    })
    .route('PATCH', '/rest/v1.0/projects/{id}', {
      scope: 'company_body',
      run: (call) => {
        const row = call.current('projects', call.path('id'), () => true);
        checkPermitted(call.world, row);
        return ok(projectShow(update(call.world, row, call.wrapped('project'))));
      },
    });
}

function list(call: Call): ReturnType<Call['list']> {
  const { world } = call;
  const status = filtersIn(call.request.query).get('by_status')?.at(-1) ?? 'Active';
  const rows = world.tables.projects
    .seenIn('')
    .filter((row) => world.permitted?.has(idText(row['id']) ?? '') ?? true)
    .filter((row) => status === 'All' || (row['active'] === true) === (status !== 'Inactive'));
  const view = call.query('view');
  return call.list({
    name: 'projects',
    rows,
    filters,
    sizes: view === 'ids' ? { usual: 200_000, most: 200_000 } : { usual: 100, most: 300 },
    show: viewOf(projectListViews, 'normal', view),
    sorts: ['name', 'display_name'],
  });
}

function checkPermitted(world: World, row: JsonObject): void {
  if (world.permitted?.has(idText(row['id']) ?? '') ?? true) return;
  throw forbidden('You do not have permission to access this project.');
}

function create(world: World, sent: JsonObject): JsonObject {
  if (isBlank(ownMember(sent, 'name'))) throw refuseFields({ name: ["can't be blank"] });
  const project = written(world, blank(world, 'project'), sent, onCreate);
  return world.save('projects', project, 'create');
}

function update(world: World, current: JsonObject, sent: JsonObject): JsonObject {
  const name = ownMember(sent, 'name');
  if (name !== undefined && isBlank(name)) throw refuseFields({ name: ["can't be blank"] });
  const project = { ...written(world, current, sent, onUpdate), updated_at: world.stamp() };
  return world.save('projects', project, 'update');
}

function checkNumber(world: World, { id: own }: JsonObject, number: JsonValue | undefined): void {
  if (!world.core.switches.get('uniqueProjectNumbers') || isBlank(number)) return;
  const isTaken = world.tables.projects
    .all()
    .some((row) => row['project_number'] === number && idText(row['id']) !== idText(own));
  if (isTaken) throw refuseFields({ project_number: ['has already been taken'] });
}

function written(world: World, current: JsonObject, sent: JsonObject, fields: Fields): JsonObject {
  const { plain, custom } = read(world, sent, fields, current);
  checkNumber(world, current, plain['project_number']);
  const shown: Record<string, JsonObject[string]> = {};
  for (const [name, value] of Object.entries(plain)) {
    if (notShown.includes(name) || name.endsWith('_check')) continue;
    if (name === 'total_value') shown[name] = totalValue(value);
    else if (name === 'project_stage_id') Object.assign(shown, stageOf(value));
    else if (name === 'override_start_date') shown['actual_start_date'] = value;
    else if (name === 'override_end_date') shown['projected_finish_date'] = value;
    else if (/^(project_(type|region|owner_type|bid_type)|program|office)_id$/.test(name)) {
      shown[name.slice(0, -3)] = value === null ? null : { id: value, name: `No. ${idText(value) ?? ''}` };
    } else shown[name] = value;
  }
  const project = { ...current, ...shown, ...custom };
  checkOrigin(world, ['projects'], project);
  const names = [textOf(project['project_number']), textOf(project['name'])];
  return { ...project, display_name: names.filter((part) => part !== '').join(' ') };
}

function totalValue(value: JsonObject[string]): JsonObject[string] {
  const decimal = decimalIn(value);
  return decimal === undefined ? null : amountText(decimal);
}

function stageOf(stageId: JsonObject[string]): JsonObject {
  const name = stages[idText(stageId) ?? ''];
  if (stageId === null) return { project_stage: null, stage: null };
  if (name === undefined) throw refuseFields({ project_stage_id: ['does not exist'] });
  return { project_stage: { id: stageId, name }, stage: name };
}
