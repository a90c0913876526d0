import { isJsonArray, minus, negated, plus, type JsonObject } from '@app/mapper';
import type { PortfolioRecord } from '@app/behaviour';
import { amountOf, amountText, isZero, sameAmount } from './amounts';
import { idText } from './ids';
import { addToProject } from './resources/project-vendors';
import { objectAt, objectsIn, withItemTotals } from './totals';
import type { Kind, World } from './world';

/**
 * Loads a portfolio into an empty world, and adds what portfolios do not contain: directories, dates of lines, items.
 */
export function seedPortfolio(world: World, portfolio: readonly PortfolioRecord[]): void {
  const of = (entityType: string): readonly PortfolioRecord[] =>
    portfolio.filter((record) => record.entityType === entityType);
  for (const { payload } of of('project')) world.tables.projects.put(payload);
  for (const { payload } of of('customer')) world.tables.vendors.put(payload);
  for (const { payload } of of('customer')) addToItsProjects(world, payload);
  for (const { payload, variant } of of('contract')) {
    const kind: Kind =
      variant === 'PurchaseOrderContract' ? 'purchase_order_contracts' : 'work_order_contracts';
    world.tables[kind].put(contractOf(world, payload));
  }
  for (const { payload } of of('invoice')) world.tables.requisitions.put(requisitionOf(world, payload));
  for (const { payload } of of('payment')) world.tables.contract_payments.put(payload);
}

function addToItsProjects(world: World, vendor: JsonObject): void {
  const projects = isJsonArray(vendor['project_ids']) ? vendor['project_ids'] : [];
  for (const project of projects) {
    const id = idText(project);
    if (id !== undefined && world.tables.projects.get(id) !== undefined) addToProject(world, id, vendor);
  }
}

// A portfolio names vendors by their ID in the company; a contract here names them by their ID in the project.
function contractOf(world: World, contract: JsonObject): JsonObject {
  const project = idText(objectAt(contract, 'project')['id']);
  const named = objectAt(contract, 'vendor');
  const vendor = world.tables.vendors.get(idText(named['id']) ?? '');
  const stamps: JsonObject = {
    created_at: contract['created_at'] ?? null,
    updated_at: contract['updated_at'] ?? null,
  };
  return {
    ...contract,
    line_items: objectsIn(contract, 'line_items').map((line) => ({ ...stamps, ...line })),
    vendor:
      vendor === undefined || project === undefined
        ? null
        : { ...named, id: addToProject(world, project, vendor)['id'] ?? null },
  };
}

function requisitionOf(world: World, requisition: JsonObject): JsonObject {
  const contract = world.contract(idText(requisition['commitment_id']) ?? '')?.record ?? {};
  return {
    ...requisition,
    vendor_id: objectAt(contract, 'vendor')['id'] ?? requisition['vendor_id'] ?? null,
    items: itemsOf(world, requisition, contract),
  };
}

/** Items whose sums equal the summary: the given ones, or one for the contract's first line. */
function itemsOf(world: World, requisition: JsonObject, contract: JsonObject): readonly JsonObject[] {
  const items = objectsIn(requisition, 'items');
  const summary = objectAt(requisition, 'summary');
  const completed = amountOf(summary['total_completed_and_stored_to_date']);
  const retained = amountOf(summary['total_retainage']);
  const done = plus(...items.map((item) => amountOf(item['total_completed_and_stored_to_date'])));
  if (items.length > 0 && sameAmount(done, completed) && (isZero(retained) || hasRetainage(items)))
    return items;
  const before = previousOf(world, requisition);
  const completedBefore = amountOf(before['total_completed_and_stored_to_date']);
  const retainedBefore = amountOf(before['total_retainage']);
  const more = minus(retained, retainedBefore);
  const line = objectsIn(contract, 'line_items')[0] ?? {};
  const item: JsonObject = {
    id: world.ids.next(),
    item_type: 'contract_item',
    line_item_id: line['id'] ?? null,
    cost_code_id: objectAt(line, 'cost_code')['id'] ?? null,
    description_of_work: line['description'] ?? null,
    scheduled_value: contract['grand_total'] ?? '0.0',
    work_completed_from_previous_application: amountText(completedBefore),
    work_completed_this_period: amountText(minus(completed, completedBefore)),
    materials_presently_stored: '0.0',
    work_completed_retainage_from_previous_application: amountText(retainedBefore),
    work_completed_retainage_retained_this_period: more.units > 0n ? amountText(more) : '0.0',
    work_completed_retainage_released_this_period: more.units < 0n ? amountText(negated(more)) : '0.0',
    work_completed_retainage_percent_this_period: contract['retainage_percent'] ?? '0.0',
    materials_stored_retainage_currently_retained: '0.0',
    comment: null,
    status: 'no_action',
    position: 1,
  };
  return [withItemTotals(item)];
}

function hasRetainage(items: readonly JsonObject[]): boolean {
  return items.some((item) => item['work_completed_retainage_from_previous_application'] !== undefined);
}

// The summary of the previous invoice; portfolios list invoices in order.
function previousOf(world: World, requisition: JsonObject): JsonObject {
  const commitment = idText(requisition['commitment_id']);
  const earlier = world.tables.requisitions
    .in(idText(requisition['project_id']) ?? '')
    .filter((row) => idText(row['commitment_id']) === commitment)
    .filter((row) => Number(row['number']) < Number(requisition['number']));
  const last = earlier.reduce<JsonObject>(
    (latest, row) => (Number(row['number']) > Number(latest['number'] ?? 0) ? row : latest),
    {},
  );
  return objectAt(last, 'summary');
}
