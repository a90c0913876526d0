import { ownMember, type JsonObject, type JsonValue } from '@app/mapper';
import type { Call } from '../call';
import { amount, date, flag, id, oneOf, text, whole, type Fields } from '../fields';
import { byId, byTime, filtersIn } from '../filters';
import { idText } from '../ids';
import { created, deleted, ok, type Operations } from '../operations';
import { forbidden, notFound, refuseFields } from '../refusals';
import { isBlank, read } from './writing';

const fields: Fields = {
  date,
  hours: amount,
  lunch_time: text,
  time_in: text,
  time_out: text,
  billable: flag,
  description: text,
  approval_status: oneOf('pending', 'reviewed', 'approved', 'completed'),
  party_id: id,
  origin_id: whole,
  origin_data: text,
};
const filters = {
  id: byId('id'),
  party_id: byId('party.id'),
  updated_at: byTime('updated_at'),
  deleted_at: byTime('deleted_at'),
};

/** Hours of people, over all projects of the company. One that is deleted keeps its record. */
export function addTimecards(operations: Operations): void {
  const path = '/rest/v1.0/companies/{company_id}/timecard_entries';
  const scope = { scope: 'company_path' } as const;
  operations
    .route('GET', path, { ...scope, run: list })
    .route('POST', path, { ...scope, run: (call) => created(create(call)) })
    .route('GET', `${path}/{id}`, {
      ...scope,
      run: (call) => ok(call.seen('timecard_entries', call.path('id'), isThere)),
    })
    .route('PATCH', `${path}/{id}`, {
      ...scope,
      run: (call) => {
        const before = call.current('timecard_entries', call.path('id'), isThere);
        const entry = { ...written(call, before, false), updated_at: call.world.stamp() };
        return ok(call.world.save('timecard_entries', entry, 'update'));
      },
    })
    .route('DELETE', `${path}/{id}`, {
      ...scope,
      run: (call) => {
        const { world } = call;
        const before = call.current('timecard_entries', call.path('id'), isThere);
        const stamp = world.stamp();
        world.save('timecard_entries', { ...before, deleted_at: stamp, updated_at: stamp }, 'delete');
        return deleted;
      },
    });
}

function isThere(row: JsonObject): boolean {
  return isBlank(row['deleted_at']);
}

/** Those that were deleted are listed by the time of that alone. */
function list(call: Call): ReturnType<Call['list']> {
  const wantsDeleted = filtersIn(call.request.query).has('deleted_at');
  const [from = '', to = '9999'] = [call.query('start_date'), call.query('end_date')];
  const isWithin = ({ date: day }: JsonObject): boolean =>
    typeof day === 'string' && from <= day && day <= to;
  return call.list({
    name: 'timecard_entries',
    rows: call.world.tables.timecard_entries
      .seenIn('')
      .filter((row) => isThere(row) !== wantsDeleted && isWithin(row)),
    filters,
    show: (row) => row,
  });
}

function create(call: Call): JsonObject {
  const { world } = call;
  const projectId = call.bodyId('project_id');
  const project = world.tables.projects.get(projectId);
  if (project === undefined) throw notFound();
  if (world.permitted?.has(projectId) === false) {
    throw forbidden('You do not have permission to access this project.');
  }
  const stamp = world.stamp();
  const empty: JsonObject = {
    id: world.ids.next(),
    date: null,
    hours: '0.0',
    lunch_time: null,
    time_in: null,
    time_out: null,
    billable: false,
    description: null,
    approval_status: 'pending',
    party: null,
    project: { id: project['id'] ?? null, name: project['name'] ?? null },
    origin_id: null,
    origin_data: null,
    created_at: stamp,
    updated_at: stamp,
    deleted_at: null,
  };
  return world.save('timecard_entries', written(call, empty, true), 'create');
}

function written(call: Call, before: JsonObject, isNew: boolean): JsonObject {
  const sent = call.wrapped('timecard_entry');
  const day = ownMember(sent, 'date');
  if ((isNew || day !== undefined) && isBlank(day)) throw refuseFields({ date: ["can't be blank"] });
  const { plain } = read(call.world, sent, fields, before);
  const { party_id: party, ...rest } = plain;
  return { ...before, ...rest, ...(party !== undefined && { party: partyOf(call, party) }) };
}

function partyOf({ world }: Call, party: JsonValue): JsonObject | null {
  if (party === null) return null;
  const person = world.tables.people.get(idText(party) ?? '');
  if (person === undefined) throw refuseFields({ party_id: ['does not exist'] });
  const names = [person['first_name'], person['last_name']].filter((name) => typeof name === 'string');
  return { id: person['id'] ?? null, name: names.join(' ') };
}
