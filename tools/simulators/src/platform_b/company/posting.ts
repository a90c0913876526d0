import { numberOf } from '@app/mapper';
import { NO_GUID } from '../model/field';
import { refusedByRule } from '../odata-error';
import { textOf, type Row } from '../store/row';
import { amountIn, setLineAmounts, setTotals } from './amounts';
import type { Company, Draft } from './company';
import { invoices, orders } from './document-kinds';
import { linesOf } from './documents';

/** Posts a draft: the key stays, the number is one of another series, and the amount becomes what is to be paid. */
export function postInvoice(company: Company, row: Row): Row {
  if (row.posted === true) throw refusedByRule('The action can be applied to a draft invoice only.');
  const lines = linesOf(company, invoices, row.id);
  if (lines.length === 0) throw refusedByRule('There is nothing to post.');
  for (const line of lines) {
    if (textOf(line, 'lineType') === 'Comment') continue;
    if (amountIn(line.values, 'quantity').units === 0n) throw refusedByRule('There is nothing to post.');
    if (textOf(line, 'lineObjectNumber') === '') {
      throw refusedByRule(
        `No. must have a value in Sales Line: Document Type=Invoice, Document No.=${textOf(row, 'number')}, ` +
          `Line No.=${Number(line.values.sequence)}. It cannot be zero or empty.`,
      );
    }
  }
  return posted(company, row, { ...row.values });
}

/** Takes back a posted invoice of which nothing is paid. */
export function cancelInvoice(company: Company, row: Row): Row {
  checkCorrectable(row);
  return company.save('salesInvoices', row, { ...row.values, status: 'Canceled', remainingAmount: 0 });
}

/** Makes the draft of a credit memo; the invoice stays as it is. */
export function correctInvoice(_company: Company, row: Row): Row {
  checkCorrectable(row);
  return row;
}

/** @throws ODataError when the customer has no address for mail */
export function sendInvoice(_company: Company, row: Row): Row {
  if (textOf(row, 'email') === '') {
    throw refusedByRule('The customer has no email address. Specify one to send the document.');
  }
  return row;
}

/** Ships and invoices all that is outstanding of an order. The order is complete by that and disappears. */
export function shipAndInvoice(company: Company, order: Row): Row {
  if (textOf(order, 'status') === 'In_x0020_Review') {
    throw refusedByRule('The document must be approved and released before you can perform this action.');
  }
  const lines = linesOf(company, orders, order.id);
  const outstanding = lines.filter(({ values }) => amountIn(values, 'invoiceQuantity').units > 0n);
  if (outstanding.length === 0) throw refusedByRule('There is nothing to post.');
  const draft = company.blank(invoices.set);
  for (const name of invoices.set.fields.keys()) draft[name] = order.values[name] ?? draft[name] ?? '';
  draft.id = NO_GUID;
  draft.invoiceDate = order.values.orderDate ?? company.today();
  draft.dueDate = company.today();
  draft.orderId = order.id;
  draft.orderNumber = textOf(order, 'number');
  const invoice = company.insert('salesInvoices', draft);
  const places = company.places(textOf(order, 'currencyCode'));
  for (const line of outstanding) {
    const copy = company.blank(invoices.lineSet);
    for (const name of invoices.lineSet.fields.keys()) copy[name] = line.values[name] ?? copy[name] ?? '';
    copy.id = NO_GUID;
    copy.documentId = invoice.id;
    copy.quantity = line.values.invoiceQuantity ?? 0;
    setLineAmounts(copy, places, order.values.pricesIncludeTax === true);
    company.insert('salesInvoiceLines', copy);
  }
  for (const { id } of lines) company.store.remove('salesOrderLines', id);
  company.store.remove('salesOrders', order.id);
  return posted(company, invoice, { ...invoice.values });
}

function posted(company: Company, row: Row, draft: Draft): Row {
  setTotals(
    draft,
    linesOf(company, invoices, row.id).map(({ values }) => values),
  );
  draft.number = company.series.next('postedInvoices');
  draft.remainingAmount = numberOf(amountIn(draft, 'totalAmountIncludingTax'));
  draft.status = amountIn(draft, 'remainingAmount').units === 0n ? 'Paid' : 'Open';
  return company.save('salesInvoices', row, draft, { posted: true });
}

function checkCorrectable(row: Row): void {
  if (row.posted !== true) throw refusedByRule('The action can be applied to a posted invoice only.');
  const status = textOf(row, 'status');
  if (status === 'Canceled') {
    throw refusedByRule('The invoice cannot be canceled because it has already been canceled.');
  }
  const isPartPaid = row.values.remainingAmount !== row.values.totalAmountIncludingTax;
  if (status !== 'Open' || isPartPaid) {
    throw refusedByRule('You cannot cancel this posted sales invoice because it is fully or partially paid.');
  }
}
