import { ownMember, decimalIn, negated, plus, type JsonObject, type JsonValue } from '@app/mapper';
import type { Reply } from '../../server';
import { amountOf, amountText } from '../amounts';
import type { Call } from '../call';
import { amount, date, flag, id, oneOf, text, whole, type Fields } from '../fields';
import { byFlag, byId, byText, byTime } from '../filters';
import { idText } from '../ids';
import { created, deletedWithoutContent, ok, type Operations } from '../operations';
import { notFound, refuseFields, refuseRecord } from '../refusals';
import { textOf } from '../text';
import { objectsIn, withContractTotals } from '../totals';
import { viewOf, without } from '../views';
import type { World } from '../world';
import { isIn } from './contract-scope';
import { isBlank, read } from './writing';

const fields: Fields = {
  title: text,
  number: text,
  revision: whole,
  status: oneOf(
    ...['draft', 'not_pricing', 'pricing', 'pending', 'revised', 'proceeding', 'not_proceeding'],
    ...['no_charge', 'approved', 'rejected', 'void'],
  ),
  description: text,
  reference: text,
  schedule_impact_amount: whole,
  due_date: date,
  paid_date: date,
  invoiced_date: date,
  signed_change_order_received_date: date,
  executed: flag,
  paid: flag,
  private: flag,
  field_change: flag,
  signature_required: flag,
  enable_ssov: flag,
};
const lineFields: Fields = { wbs_code_id: id, amount, description: text };
const filters = {
  id: byId('id'),
  contract_id: byId('contract_id'),
  status: byText('status'),
  executed: byFlag('executed'),
  updated_at: byTime('updated_at'),
};
const views = {
  default: without('line_items'),
  extended: (row: JsonObject) => ({ ...without('line_items')(row), change_events: [] }),
};

/** Where a contract shows the sum of its change orders in a status; the others count nowhere. */
const sums: Readonly<Record<string, string>> = {
  approved: 'approved_change_orders',
  draft: 'draft_change_orders_amount',
  ...Object.fromEntries(
    ['pricing', 'pending', 'revised', 'proceeding'].map((status) => [status, 'pending_change_orders']),
  ),
};

/** Change orders of a project's contracts. Their amounts are those of their lines, which version 2 writes. */
export function addChangeOrders(operations: Operations): void {
  const path = '/rest/v1.0/projects/{project_id}/commitment_change_orders';
  const lines = `${path.replace('v1.0', 'v2.0/companies/{company_id}')}/{id}/line_items`;
  const scope = { scope: 'project_path', tool: 'commitments' } as const;
  operations
    .route('GET', path, { ...scope, run: list })
    .route('POST', path, { ...scope, run: (call) => created(shown(call)(create(call))) })
    .route('GET', `${path}/{id}`, {
      ...scope,
      run: (call) => ok(shown(call)(call.seen('commitment_change_orders', call.path('id'), isOf(call)))),
    })
    .route('PATCH', `${path}/{id}`, {
      ...scope,
      run: (call) => {
        const before = current(call);
        const { plain } = read(call.world, call.wrapped('change_order'), fields, before);
        return ok(shown(call)(saved(call.world, before, { ...before, ...plain })));
      },
    })
    .route('DELETE', `${path}/{id}`, {
      ...scope,
      run: (call) => {
        const before = unapproved(current(call));
        call.world.remove('commitment_change_orders', before);
        addToContract(call.world, before, undefined);
        return deletedWithoutContent;
      },
    })
    .route('POST', lines, { ...scope, run: addLine });
}

function list(call: Call): Reply {
  const rows = call.world.tables.commitment_change_orders.all().filter(isOf(call));
  return call.list({
    name: 'commitment_change_orders',
    rows,
    filters,
    show: shown(call),
    sorts: ['id', 'created_at'],
    unpaged: true,
  });
}

function shown(call: Call): (row: JsonObject) => JsonValue {
  return viewOf(views, 'default', call.query('view'));
}

/** Whether a change order is one of a contract of the project. */
function isOf(call: Call): (row: JsonObject) => boolean {
  return (row) => {
    const contract = call.world.contract(idText(row['contract_id']) ?? '');
    return contract !== undefined && isIn(call)(contract.record);
  };
}

function current(call: Call): JsonObject {
  return call.current('commitment_change_orders', call.path('id'), isOf(call));
}

function unapproved(order: JsonObject): JsonObject {
  if (order['status'] === 'approved') {
    throw refuseRecord('An approved change order cannot be deleted, nor can its lines be changed');
  }
  return order;
}

function create(call: Call): JsonObject {
  const { world } = call;
  const sent = call.wrapped('change_order');
  const contractId = idText(ownMember(sent, 'contract_id'));
  if (contractId === undefined) throw refuseFields({ contract_id: ["can't be blank"] });
  const contract = world.contract(contractId)?.record;
  if (contract === undefined || !isIn(call)(contract) || !isBlank(contract['deleted_at'])) {
    throw refuseFields({ contract_id: ['does not exist'] });
  }
  const stamp = world.stamp();
  const number = world.tables.commitment_change_orders.in(contractId).length + 1;
  const empty: JsonObject = {
    id: world.ids.next(),
    contract_id: contract['id'] ?? null,
    number: String(number).padStart(3, '0'),
    revision: 0,
    title: null,
    type: 'CommitmentChangeOrder',
    status: 'draft',
    grand_total: '0.0',
    line_items: [],
    currency_configuration: contract['currency_configuration'] ?? null,
    custom_fields: {},
    created_at: stamp,
    updated_at: stamp,
  };
  const { plain } = read(world, sent, fields, empty);
  return world.save('commitment_change_orders', { ...empty, ...plain }, 'create');
}

function addLine(call: Call): Reply {
  const { world } = call;
  if (call.path('company_id') !== world.company.id) throw notFound();
  const before = unapproved(current(call));
  const { plain } = read(world, call.body(), lineFields, {});
  if (isBlank(plain['wbs_code_id'])) throw refuseFields({ wbs_code_id: ["can't be blank"] });
  const line: JsonObject = { amount: '0.0', description: null, ...plain, id: world.ids.next() };
  const lines = [...objectsIn(before, 'line_items'), line];
  const total = plus(...lines.map((one) => amountOf(one['amount'])));
  saved(world, before, { ...before, line_items: lines, grand_total: amountText(total) });
  const digits = (value: JsonValue | undefined): JsonValue => idText(value) ?? null;
  return created({ data: { ...line, id: digits(line['id']), wbs_code_id: digits(line['wbs_code_id']) } });
}

function saved(world: World, before: JsonObject, after: JsonObject): JsonObject {
  const order = { ...after, updated_at: world.stamp() };
  world.save('commitment_change_orders', order, 'update');
  addToContract(world, before, order);
  return order;
}

/** The contract shows the sums of its change orders, and is worth more with those that are approved. */
function addToContract(world: World, before: JsonObject, after: JsonObject | undefined): void {
  const found = world.contract(idText(before['contract_id']) ?? '');
  if (found === undefined) return;
  let contract = found.record;
  for (const [order, sign] of [
    [before, -1],
    [after, 1],
  ] as const) {
    const total = decimalIn(order?.['grand_total']);
    const member = sums[textOf(order?.['status'])];
    if (total === undefined || member === undefined) continue;
    const more = plus(amountOf(contract[member]), sign === 1 ? total : negated(total));
    contract = { ...contract, [member]: amountText(more) };
  }
  if (contract === found.record) return;
  world.save(found.kind, { ...withContractTotals(contract), updated_at: world.stamp() }, 'update');
}
