import { ownMember, type JsonObject } from '@app/mapper';
import { NO_GUID } from '../pages/field-kinds';
import type { DocumentPage } from '../pages/page';
import { textIn } from '../pages/compare-fields';

/** Fields of a posted invoice that may still be changed. */
const whenPosted: ReadonlySet<string> = new Set([
  'dueDate',
  'promisedPayDate',
  'disputeStatus',
  'disputeStatusId',
]);

/** What cannot be changed on a document that is released or waits for approval. */
const lockedWhenReleased: ReadonlySet<string> = new Set([
  'customerId',
  'customerNumber',
  'billToCustomerId',
  'billToCustomerNumber',
  'currencyId',
  'currencyCode',
  'shipmentMethodId',
  'pricesIncludeTax',
  'requestedDeliveryDate',
  'partialShipping',
]);

/**
 * Why a document does not let some fields be changed, as far as the record shows it. An invoice that is `Open` may be
 * posted, or released and not posted; only what both refuse is refused then.
 */
export function lockOn(
  page: DocumentPage,
  document: JsonObject,
  fields: readonly string[],
): string | undefined {
  const status = textIn(document, 'status');
  if (status === 'Draft') return undefined;
  if (page.word === 'Invoice' && isPosted(document)) {
    return fields.some((field) => !whenPosted.has(field))
      ? 'The invoice has been posted and can no longer be modified.'
      : undefined;
  }
  return fields.some((field) => lockedWhenReleased.has(field)) ? statusMustBeOpen(page, document) : undefined;
}

/** The platform's sentence. Its table calls a draft "Open", and what the page shows as open "Released". */
export function statusMustBeOpen(page: DocumentPage, document: JsonObject): string {
  const shown = textIn(document, 'status') === 'In_x0020_Review' ? 'Pending Approval' : 'Released';
  return (
    `Status must be equal to 'Open' in Sales Header: Document Type=${page.word}, ` +
    `No.=${textIn(document, 'number')}. Current value is '${shown}'.`
  );
}

// Only an invoice that comes from a posted order names the order.
function isPosted(invoice: JsonObject): boolean {
  const status = textIn(invoice, 'status');
  if (['Paid', 'Canceled', 'Corrective'].includes(status)) return true;
  const order = ownMember(invoice, 'orderId');
  return status === 'Open' && typeof order === 'string' && order !== '' && order !== NO_GUID;
}
