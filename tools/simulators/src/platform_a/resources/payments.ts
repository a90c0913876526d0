import { isJsonObject, ownMember, negated, plus, type JsonObject } from '@app/mapper';
import { amountOf, amountText } from '../amounts';
import type { Call } from '../call';
import { amount, anything, date, id, oneOf, text, whole, type Fields } from '../fields';
import { idText, idValue } from '../ids';
import { created, deleted, ok, type Operations } from '../operations';
import { missing, notFound, refuseFields, refuseRecord } from '../refusals';
import { withContractTotals } from '../totals';
import type { World } from '../world';
import { isIn } from './contract-scope';
import { blank, checkOrigin, isBlank, isSynced, read } from './writing';

const SYNCED = 'The Contract Payment cannot be edited or deleted because it is synced with an ERP system';
const fields: Fields = {
  amount,
  date,
  invoice_number: text,
  check_number: text,
  invoice_date: date,
  draw_request_number: whole,
  payment_number: whole,
  payment_method: oneOf('check', 'credit_card', 'electronic'),
  notes: text,
  requisition_id: id,
  origin_id: text,
  origin_data: text,
  prostore_file_ids: anything,
};
/** Fields that are accepted but never shown. */
const notShown = ['payment_method', 'invoice_date', 'prostore_file_ids'];
/** Fields that may be written on a payment that an accounting system has locked. */
const unlocked = ['origin_id', 'origin_data', 'prostore_file_ids'];

/** Payments of a contract of either kind. */
export function addPayments(operations: Operations): void {
  const path = '/rest/v1.0/contract_payments';
  operations
    .route('GET', path, {
      scope: 'project_query',
      tool: 'commitments',
      run: (call) => {
        const contract = contractOf(call, call.queryId('contract_id'));
        const rows = call.world.tables.contract_payments.seenIn(contract).filter(isListed);
        return call.list({ name: 'contract_payments', rows, show: shown });
      },
    })
    .route('POST', path, {
      scope: 'project_body',
      tool: 'commitments',
      run: (call) => created(shown(create(call))),
    })
    .route('GET', `${path}/{id}`, {
      scope: 'project_query',
      tool: 'commitments',
      run: (call) => {
        const contract = contractOf(call, call.queryId('contract_id'));
        return ok(shown(call.seen('contract_payments', call.path('id'), isOf(contract))));
      },
    })
    .route('PATCH', `${path}/{id}`, {
      scope: 'project_body',
      tool: 'commitments',
      run: (call) => ok(shown(update(call))),
    })
    .route('DELETE', `${path}/{id}`, { scope: 'project_query', tool: 'commitments', run: remove });
}

// A deleted payment that is still shown by ID has a hidden mark.
function isListed(row: JsonObject): boolean {
  return isBlank(row['removed_at']);
}

function shown(row: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(row).filter(([name]) => name !== 'removed_at'));
}

function isOf(contract: string): (row: JsonObject) => boolean {
  return (row) => idText(row['contract_id']) === contract;
}

function contractOf(call: Call, contractId: string): string {
  const found = call.world.contract(contractId);
  if (found === undefined || !isIn(call)(found.record) || !isBlank(found.record['deleted_at']))
    throw notFound();
  return contractId;
}

function create(call: Call): JsonObject {
  const { world } = call;
  const contract = contractOf(call, call.bodyId('contract_id'));
  const raw = blank(world, 'payment');
  const numbers = world.tables.contract_payments
    .in(contract)
    .map((row) => Number(row['payment_number'] ?? 0));
  const empty: JsonObject = {
    ...raw,
    contract_id: idValue(contract),
    project_id: idValue(call.project),
    payment_number: Math.max(0, ...numbers) + 1,
    status: world.core.switches.get('newPaymentStatus'),
  };
  const payment = written(world, empty, sentIn(call));
  world.save('contract_payments', payment, 'create');
  addToContract(world, undefined, payment);
  return payment;
}

function update(call: Call): JsonObject {
  const { world } = call;
  const contract = contractOf(call, call.bodyId('contract_id'));
  const before = call.current(
    'contract_payments',
    call.path('id'),
    (row) => isOf(contract)(row) && isListed(row),
  );
  const sent = sentIn(call);
  if (isSynced(before) && Object.keys(sent).some((name) => !unlocked.includes(name)))
    throw refuseRecord(SYNCED);
  const payment = { ...written(world, before, sent), updated_at: world.stamp() };
  world.save('contract_payments', payment, 'update');
  addToContract(world, before, payment);
  return payment;
}

function remove(call: Call): ReturnType<Call['list']> {
  const { world } = call;
  const contract = contractOf(call, call.queryId('contract_id'));
  const payment = call.current(
    'contract_payments',
    call.path('id'),
    (row) => isOf(contract)(row) && isListed(row),
  );
  if (isSynced(payment)) throw refuseRecord(SYNCED);
  if (world.core.switches.get('paymentDeletes') === 'hard') world.remove('contract_payments', payment);
  else world.save('contract_payments', { ...payment, removed_at: world.stamp() }, 'delete');
  addToContract(world, payment, undefined);
  return deleted;
}

function sentIn(call: Call): JsonObject {
  const sent = ownMember(call.body(), 'contract_payment');
  if (sent !== undefined && !isJsonObject(sent)) throw missing('contract_payment');
  return sent ?? {};
}

function written(world: World, before: JsonObject, sent: JsonObject): JsonObject {
  const { plain } = read(world, sent, fields, before);
  const kept = Object.entries(plain).filter(([name]) => !notShown.includes(name));
  const payment: JsonObject = { ...before, ...Object.fromEntries(kept) };
  checkOrigin(world, ['contract_payments'], payment);
  if (world.core.switches.get('uniqueCheckNumbers')) checkCheckNumber(world, payment);
  const requisition = payment['requisition_id'];
  if (plain['requisition_id'] !== undefined && requisition !== null) {
    const of = world.tables.requisitions.get(idText(requisition) ?? '')?.['commitment_id'];
    if (idText(of) !== idText(payment['contract_id'])) {
      throw refuseFields({ requisition_id: ['does not belong to this contract'] });
    }
  }
  return payment;
}

function checkCheckNumber(world: World, payment: JsonObject): void {
  const { check_number: number } = payment;
  const isTaken = world.tables.contract_payments
    .in(idText(payment['contract_id']) ?? '')
    .some(
      (row) =>
        !isBlank(number) &&
        row['check_number'] === number &&
        isListed(row) &&
        idText(row['id']) !== idText(payment['id']),
    );
  if (isTaken) throw refuseFields({ check_number: ['has already been taken'] });
}

/** Updates the paid amount that the contract shows; if a payment moves, that of both contracts. */
export function addToContract(
  world: World,
  before: JsonObject | undefined,
  after: JsonObject | undefined,
): void {
  const contractId = idText((after ?? before)?.['contract_id']) ?? '';
  if (before !== undefined && idText(before['contract_id']) !== contractId) {
    addToContract(world, before, undefined);
    addToContract(world, undefined, after);
    return;
  }
  const found = world.contract(contractId);
  if (found === undefined) return;
  const total = plus(
    amountOf(found.record['total_payments']),
    amountOf(after?.['amount']),
    negated(amountOf(before?.['amount'])),
  );
  const stamp: JsonObject = world.core.switches.get('paymentsTouchContract')
    ? { updated_at: world.stamp() }
    : {};
  const contract = withContractTotals({ ...found.record, total_payments: amountText(total), ...stamp });
  world.tables[found.kind].put(contract);
}
