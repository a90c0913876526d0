import { isJsonArray, ownMember, negated, plus, type JsonObject } from '@app/mapper';
import { amountOf, amountText } from '../amounts';
import type { Call } from '../call';
import { anything, date, flag, id, oneOf, text, type Fields } from '../fields';
import { byId, byText, byTime } from '../filters';
import { idText, idValue } from '../ids';
import { created, deleted, ok, type Operations } from '../operations';
import { missing, notFound, refuseFields, refuseRecord } from '../refusals';
import { dueOf, objectAt, objectsIn, withSummary } from '../totals';
import { requisitionViews, viewOf, without } from '../views';
import type { World } from '../world';
import { families } from './contract-fields';
import { isIn } from './contract-scope';
import { addedItems, changedItems, itemsFrom } from './requisition-items';
import { blank, checkOrigin, isBlank, isSynced, read } from './writing';
import { textOf } from '../text';

const SYNCED = 'The invoice is not editable because it has been synced with ERP';
const open = ['draft', 'under_review', 'revise_and_resubmit'];
const fields: Fields = {
  invoice_number: text,
  period_id: id,
  requisition_start: date,
  requisition_end: date,
  billing_date: date,
  payment_date: date,
  submitted_at: date,
  final: flag,
  status: oneOf(
    'draft',
    'under_review',
    'revise_and_resubmit',
    'approved',
    'approved_as_noted',
    'pending_owner_approval',
  ),
  origin_id: text,
  origin_data: text,
  prostore_file_ids: anything,
  upload_ids: anything,
};

export function addRequisitions(operations: Operations): void {
  const path = '/rest/v1.1/requisitions';
  const scope = { scope: 'project_query', tool: 'invoicing' } as const;
  const inBody = { scope: 'project_body', tool: 'invoicing' } as const;
  operations
    .route('GET', path, { ...scope, run: list })
    .route('POST', path, { ...inBody, run: (call) => created(shownAs(call)(create(call))) })
    .route('GET', `${path}/{id}`, { ...scope, run: (call) => ok(shownAs(call)(seen(call, call.path('id')))) })
    .route('PATCH', `${path}/{id}`, { ...inBody, run: (call) => ok(shownAs(call)(update(call))) })
    .route('DELETE', `${path}/{id}`, { ...scope, run: remove })
    .route('PATCH', '/rest/v1.0/requisitions/{id}/bulk_item_update', { ...scope, run: updateItems })
    .route('GET', '/rest/v1.0/requisitions/{id}/contract_items', {
      ...scope,
      run: (call) => itemsOf(call, (type) => type !== 'change_order_item'),
    })
    .route('GET', '/rest/v1.0/requisitions/{id}/change_order_items', {
      ...scope,
      run: (call) => itemsOf(call, (type) => type === 'change_order_item'),
    })
    .route(
      'PATCH',
      '/rest/v2.0/companies/{company_id}/projects/{project_id}/requisitions/{id}/payment_details',
      { scope: 'project_path', tool: 'invoicing', run: setDueDate },
    );
}

function list(call: Call): ReturnType<Call['list']> {
  const rows = call.world.tables.requisitions.seenIn(call.project);
  return call.list({
    name: 'requisitions',
    rows,
    filters: {
      id: byId('id'),
      commitment_id: byId('commitment_id'),
      period_id: byId('period_id'),
      status: byText('status'),
      created_at: byTime('created_at'),
      updated_at: byTime('updated_at'),
      origin_id: byText('origin_id'),
      is_last: (row, values) => isLatest(call.world, row) === (values.at(-1) === 'true'),
    },
    sizes: { usual: 30, most: 100 },
    show: shownAs(call),
  });
}

const withoutDue = without('due_date');

function shownAs(call: Call): (row: JsonObject) => JsonObject[string] {
  const show = viewOf(requisitionViews, 'default', call.query('view'));
  const all = call.world.core.switches.get('requisitionsShowDueDate') ? (row: JsonObject) => row : withoutDue;
  return (row) => show(all({ ...row, deletable: isDeletable(call.world, row) }));
}

function seen(call: Call, requisition: string): JsonObject {
  return call.seen('requisitions', requisition, (row) => idText(row['project_id']) === call.project);
}

function current(call: Call): JsonObject {
  return call.current('requisitions', call.path('id'), (row) => idText(row['project_id']) === call.project);
}

function create(call: Call): JsonObject {
  const { world } = call;
  const commitment = call.bodyId('commitment_id');
  const found = world.contract(commitment);
  if (found === undefined || !isIn(call)(found.record) || !isBlank(found.record['deleted_at']))
    throw notFound();
  const contract = found.record;
  const sent = call.wrapped('requisition', false);
  const before = latestOf(world, call.project, commitment);
  const vendor = objectAt(contract, 'vendor');
  const number = before === undefined ? 1 : Number(before['number'] ?? 0) + 1;
  const raw = blank(world, 'invoice');
  const earned =
    before === undefined ? '0.0' : (objectAt(before, 'summary')['total_earned_less_retainage'] ?? '0.0');
  const empty: JsonObject = {
    ...raw,
    project_id: idValue(call.project),
    commitment_id: idValue(commitment),
    commitment_type: families.find(({ kind }) => kind === found.kind)?.type ?? null,
    contract_name: `Contract ${textOf(contract['number'])}`,
    number,
    invoice_number: String(number),
    vendor_id: vendor['id'] ?? null,
    vendor_name: vendor['company'] ?? null,
    previous_requisition_id: before?.['id'] ?? null,
    currency_configuration: contract['currency_configuration'] ?? null,
    items: itemsFrom(world, contract, before),
    summary: {
      ...objectAt(raw, 'summary'),
      completed_work_retainage_percent: contract['retainage_percent'] ?? '0',
      less_previous_certificates_for_payment: earned,
    },
  };
  const written = writtenHeader(world, empty, sent);
  const items = addedItems(objectsIn(written, 'items'), ownMember(sent, 'items'));
  const requisition = withSummary({ ...written, items }, contract);
  world.save('requisitions', requisition, 'create');
  addToContract(world, undefined, requisition);
  return requisition;
}

function update(call: Call): JsonObject {
  const { world } = call;
  const before = current(call);
  const sent = call.wrapped('requisition');
  checkEditable(world, before);
  const header = writtenHeader(world, before, sent);
  const items = ownMember(sent, 'items');
  return saveChange(world, before, items === undefined ? header : withItems(world, header, items));
}

function updateItems(call: Call): ReturnType<Call['list']> {
  const before = current(call);
  checkEditable(call.world, before);
  const items = ownMember(call.body(), 'requisition_items');
  if (!isJsonArray(items)) throw missing('requisition_items');
  saveChange(call.world, before, withItems(call.world, before, items));
  return { status: 200 };
}

function withItems(world: World, requisition: JsonObject, sent: JsonObject[string]): JsonObject {
  const contract = world.contract(idText(requisition['commitment_id']) ?? '')?.record;
  const items = changedItems(objectsIn(requisition, 'items'), sent);
  return withSummary({ ...requisition, items }, contract);
}

function saveChange(world: World, before: JsonObject, after: JsonObject): JsonObject {
  const saved = world.save('requisitions', { ...after, updated_at: world.stamp() }, 'update');
  addToContract(world, before, saved);
  return saved;
}

function writtenHeader(world: World, before: JsonObject, sent: JsonObject): JsonObject {
  const { plain, custom } = read(world, withoutItems(sent), fields, before);
  const shown = Object.entries(plain).filter(([name]) => !name.endsWith('_ids'));
  const requisition: JsonObject = { ...before, ...Object.fromEntries(shown), ...custom };
  const status = requisition['status'];
  const { switches } = world.core;
  if (
    status !== before['status'] &&
    !switches.get('accountIsAdmin') &&
    status !== 'draft' &&
    status !== 'under_review'
  ) {
    throw refuseFields({ status: ['may only be draft or under_review'] });
  }
  checkOrigin(world, ['requisitions'], requisition);
  if (switches.get('uniqueInvoiceNumbers')) checkNumber(world, requisition);
  return requisition;
}

function withoutItems(sent: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(sent).filter(([name]) => name !== 'items'));
}

function checkNumber(world: World, requisition: JsonObject): void {
  const isTaken = ofContract(world, requisition).some(
    (row) =>
      row['invoice_number'] === requisition['invoice_number'] &&
      idText(row['id']) !== idText(requisition['id']),
  );
  if (isTaken) throw refuseFields({ invoice_number: ['has already been taken'] });
}

function checkEditable(world: World, requisition: JsonObject): void {
  if (isSynced(requisition)) throw refuseRecord(SYNCED);
  if (world.core.switches.get('accountIsAdmin')) return;
  if (!isLatest(world, requisition))
    throw refuseRecord('Only the latest invoice of a contract can be edited');
  if (!['draft', 'revise_and_resubmit'].includes(textOf(requisition['status']))) {
    throw refuseRecord('The invoice can be edited in status draft or revise_and_resubmit only');
  }
}

function remove(call: Call): ReturnType<Call['list']> {
  const { world } = call;
  const requisition = current(call);
  if (isSynced(requisition)) throw refuseRecord(SYNCED);
  if (!isDeletable(world, requisition)) throw refuseRecord('Only the latest open invoice can be deleted');
  world.remove('requisitions', requisition);
  addToContract(world, requisition, undefined);
  return deleted;
}

function setDueDate(call: Call): ReturnType<Call['list']> {
  const { world } = call;
  if (call.path('company_id') !== world.company.id) throw notFound();
  const requisition = current(call);
  const { plain } = read(world, call.body(), { due_date: date }, requisition);
  const dueDate = plain['due_date'] ?? null;
  const moved = world.core.switches.get('dueDatesTouchRequisition') && { updated_at: world.stamp() };
  world.save('requisitions', { ...requisition, due_date: dueDate, ...moved }, 'update');
  return ok({ data: { id: idText(requisition['id']) ?? '', due_date: dueDate } });
}

function itemsOf(
  call: Call,
  isShown: (type: JsonObject[string] | undefined) => boolean,
): ReturnType<Call['list']> {
  const items = objectsIn(seen(call, call.path('id')), 'items').filter((item) => isShown(item['item_type']));
  return call.list({ name: 'requisition_items', rows: items, show: (item) => item });
}

function isDeletable(world: World, requisition: JsonObject): boolean {
  return (
    isLatest(world, requisition) && open.includes(textOf(requisition['status'])) && !isSynced(requisition)
  );
}

function isLatest(world: World, requisition: JsonObject): boolean {
  const number = Number(requisition['number'] ?? 0);
  return ofContract(world, requisition).every((row) => Number(row['number'] ?? 0) <= number);
}

function latestOf(world: World, project: string, commitment: string): JsonObject | undefined {
  const rows = world.tables.requisitions
    .in(project)
    .filter((row) => idText(row['commitment_id']) === commitment);
  return rows.reduce<JsonObject | undefined>(
    (last, row) =>
      last === undefined || Number(row['number'] ?? 0) >= Number(last['number'] ?? 0) ? row : last,
    undefined,
  );
}

function ofContract(world: World, requisition: JsonObject): readonly JsonObject[] {
  const commitment = idText(requisition['commitment_id']);
  return world.tables.requisitions
    .in(idText(requisition['project_id']) ?? '')
    .filter((row) => idText(row['commitment_id']) === commitment);
}

/** Updates the invoiced amount that the contract shows. Its time of change stays. */
function addToContract(world: World, before: JsonObject | undefined, after: JsonObject | undefined): void {
  const found = world.contract(idText((after ?? before)?.['commitment_id']) ?? '');
  if (found === undefined) return;
  const total = plus(
    amountOf(found.record['total_requisitions_amount']),
    after === undefined ? amountOf(null) : dueOf(after),
    before === undefined ? amountOf(null) : negated(dueOf(before)),
  );
  world.tables[found.kind].put({ ...found.record, total_requisitions_amount: amountText(total) });
}
