import type { JsonObject, JsonValue, NativeChange, StoredEntityType } from '@app/mapper';

/** What of a connection's settings says which page of payments it uses. */
export interface PaymentPage {
  readonly payments_url?: JsonValue;
}

/** Said of a currency that cannot be written. */
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

/** Why a record cannot take changes that it does not show yet; undefined where its page has all of their fields. */
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
