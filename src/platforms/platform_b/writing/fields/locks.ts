import { ownMember, type JsonObject } from '@app/mapper';
import { NO_GUID } from '../../pages/field-kinds';
import type { DocumentPage } from '../../pages/page';
import { textIn } from '../../pages/compare-fields';

/**
 * Why a document refuses changes of some fields, as far as the record shows. An invoice that is `Open` and names no
 * order is posted or only released. Then a change is refused if both states refuse it.
 */
export function lockOn(
  page: DocumentPage,
  document: JsonObject,
  fields: readonly string[],
): string | undefined {
  const status = textIn(document, 'status');
  if (status === 'Draft') return undefined;
  const described = fields.map((name) => page.fields.get(name));
  if (page.lockWords !== undefined && isPosted(document)) {
    return described.some((field) => field?.freeWhen !== 'posted') ? page.lockWords : undefined;
  }
  return described.some((field) => field?.lockedWhen === 'released')
    ? statusMustBeOpen(page, document)
    : undefined;
}

/** The platform's sentence. Its table calls a draft "Open", and what the page shows as open "Released". */
export function statusMustBeOpen(page: DocumentPage, document: JsonObject): string {
  const shown = textIn(document, 'status') === 'In_x0020_Review' ? 'Pending Approval' : 'Released';
  return (
    `Status must be equal to 'Open' in Sales Header: Document Type=${page.documentWord}, ` +
    `No.=${textIn(document, 'number')}. Current value is '${shown}'.`
  );
}

// An open invoice that names an order was made by posting that order.
function isPosted(invoice: JsonObject): boolean {
  const status = textIn(invoice, 'status');
  if (['Paid', 'Canceled', 'Corrective'].includes(status)) return true;
  const order = ownMember(invoice, 'orderId');
  return status === 'Open' && typeof order === 'string' && order !== '' && order !== NO_GUID;
}
