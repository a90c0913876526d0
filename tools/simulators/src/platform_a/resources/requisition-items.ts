import {
  isJsonArray,
  isJsonObject,
  ownMember,
  decimalIn,
  negated,
  plus,
  times,
  type JsonObject,
  type JsonValue,
} from '@app/mapper';
import { amountOf, amountText, rounded } from '../amounts';
import { idText } from '../ids';
import { missing, refuseFields } from '../refusals';
import { objectAt, objectsIn, withItemTotals } from '../totals';
import type { World } from '../world';
import { linesOf } from './contract-scope';

const itemTypes = ['contract_item', 'contract_detail_item', 'change_order_item'];
const statuses = ['approved', 'rejected', 'no_action'];
const amounts = [
  'work_completed_this_period',
  'work_completed_this_period_quantity',
  'materials_presently_stored',
  'work_completed_retainage_retained_this_period',
  'work_completed_retainage_released_this_period',
  'work_completed_retainage_percent_this_period',
  'materials_stored_retainage_currently_retained',
  'materials_stored_retainage_percent_this_period',
  'subcontractor_claimed_amount',
];

/** The items of a new invoice: one for each line of its contract, from where the invoice before it ended. */
export function itemsFrom(
  world: World,
  contract: JsonObject,
  before: JsonObject | undefined,
): readonly JsonObject[] {
  const earlier = before === undefined ? [] : objectsIn(before, 'items');
  return linesOf(contract).map((line, place) => {
    const previous = earlier.find((item) => idText(item['line_item_id']) === idText(line['id'])) ?? {};
    const retained = plus(
      amountOf(previous['work_completed_retainage_from_previous_application']),
      amountOf(previous['work_completed_retainage_retained_this_period']),
      negated(amountOf(previous['work_completed_retainage_released_this_period'])),
    );
    return withItemTotals({
      id: world.ids.next(),
      item_type: 'contract_item',
      line_item_id: line['id'] ?? null,
      cost_code_id: objectAt(line, 'cost_code')['id'] ?? null,
      wbs_code: line['wbs_code'] ?? null,
      description_of_work: line['description'] ?? null,
      scheduled_value: line['amount'] ?? '0.0',
      work_completed_from_previous_application: previous['total_completed_and_stored_to_date'] ?? '0.0',
      work_completed_this_period: '0.0',
      materials_presently_stored: '0.0',
      work_completed_retainage_from_previous_application: amountText(retained),
      work_completed_retainage_retained_this_period: '0.0',
      work_completed_retainage_released_this_period: '0.0',
      work_completed_retainage_percent_this_period: contract['retainage_percent'] ?? '0.0',
      materials_stored_retainage_currently_retained: '0.0',
      comment: null,
      status: 'no_action',
      position: place + 1,
    });
  });
}

/** Items of a new invoice with what was sent for them, by the line that each is for. */
export function addedItems(items: readonly JsonObject[], sent: JsonValue | undefined): readonly JsonObject[] {
  if (sent === undefined || sent === null) return items;
  return applied(items, sent, (item) => {
    const line = idText(item['line_item_id']);
    return items.find((candidate) => idText(candidate['line_item_id']) === line);
  });
}

/** Items with what was sent for them, by ID. @throws Refusal 422 for an item that is not there, or an unfit value */
export function changedItems(items: readonly JsonObject[], sent: JsonValue): readonly JsonObject[] {
  return applied(items, sent, (item) => {
    if (ownMember(item, 'id') === undefined) throw missing('id');
    return items.find((candidate) => idText(candidate['id']) === idText(item['id']));
  });
}

function applied(
  items: readonly JsonObject[],
  sent: JsonValue,
  find: (item: JsonObject) => JsonObject | undefined,
): readonly JsonObject[] {
  if (!isJsonArray(sent) || !sent.every(isJsonObject)) throw refuseFields({ items: ['is invalid'] });
  const changed = new Map<JsonObject, JsonObject>();
  for (const attributes of sent) {
    const type = ownMember(attributes, 'item_type');
    if (typeof type !== 'string' || !itemTypes.includes(type))
      throw refuseFields({ item_type: ['is invalid'] });
    const item = find(attributes);
    if (item === undefined || item['item_type'] !== type) throw refuseFields({ items: ['does not exist'] });
    changed.set(item, changedItem(changed.get(item) ?? item, attributes));
  }
  return items.map((item) => changed.get(item) ?? item);
}

function changedItem(item: JsonObject, sent: JsonObject): JsonObject {
  const written: Record<string, JsonValue> = {};
  for (const name of amounts) {
    const value = ownMember(sent, name);
    if (value === undefined || value === null) continue;
    const decimal = decimalIn(value);
    if (decimal === undefined) throw refuseFields({ [name]: ['is not a number'] });
    written[name] = typeof value === 'string' ? value : amountText(decimal);
  }
  const status = ownMember(sent, 'status');
  if (status !== undefined) {
    if (typeof status !== 'string' || !statuses.includes(status))
      throw refuseFields({ status: ['is invalid'] });
    written['status'] = status;
  }
  const comment = ownMember(sent, 'comment');
  if (typeof comment === 'string' || comment === null) written['comment'] = comment;
  return withItemTotals(withRetainage({ ...item, ...written }, written));
}

// What is retained follows the work at the item's rate, unless it is said.
function withRetainage(item: JsonObject, written: Readonly<Record<string, JsonValue>>): JsonObject {
  const isSaid = written['work_completed_retainage_retained_this_period'] !== undefined;
  const isMoved =
    written['work_completed_this_period'] !== undefined ||
    written['work_completed_retainage_percent_this_period'] !== undefined;
  if (isSaid || !isMoved) return item;
  const percent = amountOf(item['work_completed_retainage_percent_this_period']);
  const exact = times(amountOf(item['work_completed_this_period']), percent);
  const retained = rounded({ units: exact.units, scale: exact.scale + 2 }, 2);
  return { ...item, work_completed_retainage_retained_this_period: amountText(retained) };
}
