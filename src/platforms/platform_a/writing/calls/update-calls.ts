import {
  formatDecimal,
  isJsonArray,
  isJsonObject,
  ownMember,
  valueAt,
  decimalIn,
  negated,
  plus,
  type Decimal,
  type JsonObject,
  type JsonValue,
  type NativeChange,
} from '@app/mapper';
import { idNumber, idText } from '../../wire/ids';
import { ofProject, paths } from '../../wire/resources';
import type { Session, WriteCall } from '../../wire/session';
import { contractKindOf, headerCall, headerOf, type Target } from '../fields/bodies';
import { placeOf } from '../fields/fields';

/** One call of a change. */
export interface PlannedCall {
  readonly call: WriteCall;
  /** The changes that the call writes. */
  readonly changes: readonly NativeChange[];
}

/** The calls of a change, in order; or why there are none. */
export type PlannedCalls =
  | { readonly status: 'planned'; readonly calls: readonly PlannedCall[] }
  | { readonly status: 'rejected'; readonly reason: string };

/** An existing record, as it is now. */
export interface CallTarget extends Target {
  readonly id: string;
  readonly current: JsonObject;
}

/**
 * The calls that set some fields of a record: its header, and its amount through the one line or item that it follows
 * from. Pure.
 *
 * @param changes only those that the record does not show yet
 * @param vendorId the vendor's ID in the project, where the vendor changes; null for none
 */
export function callsFor(
  session: Pick<Session, 'settings'>,
  existing: CallTarget,
  changes: readonly NativeChange[],
  vendorId?: string | null,
): PlannedCalls {
  const { entityType, current, id } = existing;
  const places = changes.map((change) => ({ change, place: placeOf(entityType, change, false) }));
  const fixed = places.find(({ place }) => place.kind === 'unwritable' || place.kind === 'scope');
  if (fixed !== undefined) {
    return {
      status: 'rejected',
      reason: `platform_a does not let ${fixed.change.path.join('.')} be written`,
    };
  }
  const header = headerOf(entityType, changes, false, vendorId);
  const ofHeader = places.filter(({ place }) => place.kind === 'header' || place.kind === 'vendor');
  const calls = headerCalls(
    session,
    existing,
    header,
    ofHeader.map(({ change }) => change),
  );
  for (const { change, place } of places) {
    if (place.kind === 'due_date') {
      const project = existing.parents?.project ?? '';
      const path = paths.requisitionDueDate(session.settings.company_id, project, id);
      calls.push({ call: { method: 'PATCH', path, body: { due_date: place.value } }, changes: [change] });
    }
    if (place.kind !== 'amount') continue;
    const call = amountCall(existing, place.amount);
    if (typeof call === 'string') return { status: 'rejected', reason: call };
    const planned: PlannedCall = { call, changes: [change] };
    // The header may close an open record, and open a closed one: the amount is sent while the record is open.
    if (isOpen(entityType, current)) calls.unshift(planned);
    else calls.push(planned);
  }
  return { status: 'planned', calls };
}

function headerCalls(
  session: Pick<Session, 'settings'>,
  existing: CallTarget,
  header: JsonObject,
  changes: readonly NativeChange[],
): PlannedCall[] {
  const { entityType, current, id } = existing;
  if (Object.keys(header).length === 0) return [];
  if (entityType !== 'customer') return [{ call: headerCall(session, existing, header, id), changes }];
  // An update needs the name as much as a creation does.
  const named = { name: ownMember(current, 'name') ?? null, ...header };
  const isBack = ownMember(current, 'is_active') === false && ownMember(header, 'is_active') === true;
  const change: PlannedCall = { call: headerCall(session, existing, named, id), changes };
  if (!isBack) return [change];
  const company = session.settings.company_id;
  const path = `${paths.inactiveVendors(company)}/${id}`;
  const body = { company_id: idNumber(company), vendor: { is_active: true } };
  const back = changes.filter((one) => one.path.join('.') === 'is_active');
  const first: PlannedCall = { call: { method: 'PATCH', path, body }, changes: back };
  return [first, ...(Object.keys(header).length > 1 ? [change] : [])];
}

/** Records in these states may be locked. */
const closed: ReadonlySet<JsonValue | undefined> = new Set(['Approved', 'Complete']);
const open: ReadonlySet<JsonValue | undefined> = new Set(['draft', 'under_review', 'revise_and_resubmit']);

/** Whether a record is in a state in which its amount may be changed for certain. */
export function isOpen(entityType: Target['entityType'], record: JsonObject): boolean {
  const status = ownMember(record, 'status');
  return entityType === 'contract' ? !closed.has(status) : open.has(status);
}

function amountCall(existing: CallTarget, amount: JsonValue): WriteCall | string {
  const wanted = decimalIn(amount);
  if (wanted === undefined) return 'an amount cannot be taken away';
  return existing.entityType === 'contract' ? lineCall(existing, wanted) : itemCall(existing, wanted);
}

function lineCall({ id, variant, parents, current }: CallTarget, wanted: Decimal): WriteCall | string {
  const lines = objectsIn(current, 'line_items');
  const path = `${contractKindOf(variant).path}/${id}/line_items`;
  const scope = { project_id: idNumber(parents?.project ?? '') };
  const amount = text(wanted);
  const asPrice = { quantity: '1.0', unit_cost: amount };
  const [line, second] = lines;
  if (second !== undefined) return `grand_total is the sum of ${lines.length} lines; change those there`;
  if (line === undefined) {
    const byUnit = ownMember(current, 'accounting_method') === 'unit';
    const description = ownMember(current, 'title') ?? ownMember(current, 'number') ?? null;
    const body = { ...scope, line_item: { description, amount, ...(byUnit && asPrice) } };
    return { method: 'POST', path, body };
  }
  const lineId = idText(ownMember(line, 'id'));
  if (lineId === undefined) return 'the line of the contract has no ID';
  // The factor of the quantity is not known: the line becomes a lump sum.
  const isCalculated = ownMember(line, 'extended_type') === 'calculated';
  const body = { ...scope, line_item: { amount, ...(isCalculated && asPrice) } };
  return { method: 'PATCH', path: `${path}/${lineId}`, body };
}

function itemCall({ id, parents, current }: CallTarget, wanted: Decimal): WriteCall | string {
  const items = objectsIn(current, 'items');
  const [item] = items;
  const itemId = item && idText(ownMember(item, 'id'));
  if (item === undefined || itemId === undefined || items.length > 1) {
    return `summary.current_payment_due follows from ${items.length} items; change those there`;
  }
  const due = decimalIn(valueAt(current, ['summary', 'current_payment_due']));
  const work = decimalIn(ownMember(item, 'work_completed_this_period'));
  if (due === undefined || work === undefined)
    return 'the invoice does not show what its amount follows from';
  const retained = decimalIn(ownMember(item, 'work_completed_retainage_retained_this_period'));
  const change = {
    id: idNumber(itemId),
    item_type: ownMember(item, 'item_type') ?? 'contract_item',
    work_completed_this_period: text(plus(work, wanted, negated(due))),
    // Else it would follow the work at the contract's rate.
    ...(retained !== undefined && { work_completed_retainage_retained_this_period: text(retained) }),
  };
  return {
    method: 'PATCH',
    path: paths.requisitionItems(id),
    query: ofProject(parents?.project ?? ''),
    body: { requisition_items: [change] },
  };
}

function objectsIn(record: JsonObject, member: string): readonly JsonObject[] {
  const list = ownMember(record, member);
  return isJsonArray(list) ? list.filter(isJsonObject) : [];
}

/** As the platform writes money: at least one decimal. */
function text({ units, scale }: Decimal): string {
  return scale === 0 ? formatDecimal(units * 10n, 1) : formatDecimal(units, scale);
}
