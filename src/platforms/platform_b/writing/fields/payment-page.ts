import type { JsonObject, JsonValue, NativeChange, StoredEntityType } from '@app/mapper';

/** The setting by which a connection uses its own page of payments instead of the ERP's. */
export interface PaymentPage {
  readonly payments_url?: JsonValue;
}

/** Why the currency of a payment cannot be written. */
export const NO_CURRENCY =
  "the page of payments has no currency: a payment is in its invoice's, else in its customer's";

/** Whether a change sets a field that the page lacks: the ERP's own page of payments has no currency. */
export function isOffPage(
  { payments_url: ownPage }: PaymentPage,
  entityType: StoredEntityType,
  { path }: NativeChange,
): boolean {
  return entityType === 'payment' && ownPage === undefined && path[0] === 'currencyCode';
}

/** Why changes cannot be written; undefined if the page has all of their fields. */
export function currencyRefusal(
  page: PaymentPage,
  entityType: StoredEntityType,
  todo: readonly NativeChange[],
): string | undefined {
  return todo.some((change) => isOffPage(page, entityType, change)) ? NO_CURRENCY : undefined;
}

/** A record as the page shows it: without a currency where the page has none. */
export function asPageShows(
  { payments_url: ownPage }: PaymentPage,
  entityType: StoredEntityType,
  record: JsonObject,
): JsonObject {
  if (entityType !== 'payment' || ownPage !== undefined) return record;
  return Object.fromEntries(Object.entries(record).filter(([name]) => name !== 'currencyCode'));
}
