import { minorUnits, ownMember, type JsonObject, type Money } from '@app/mapper';
import { moneyOf, type SumRule } from './sum-rule';

/** Statuses of payments that were not, or will not be, made. */
const notPaid: ReadonlySet<unknown> = new Set(['rejected', 'failed']);
/** Statuses of invoices that are no longer valid. */
const notBilled: ReadonlySet<unknown> = new Set(['canceled', 'corrective']);

/** The payments of an invoice must not exceed it. */
export const paidAboveBilled: SumRule = {
  rule: 'paid_above_billed',
  child: 'payment',
  parent: 'invoice',
  parentField: 'invoice_id',
  childFields: ['amount', 'status'],
  limitFields: ['amount'],
  followsTotals: false,
  amountOf: (payment) => (notPaid.has(ownMember(payment, 'status')) ? undefined : moneyOf(payment, 'amount')),
  limitOf: (invoice) => moneyOf(invoice, 'amount'),
  messageOf: (total, limit, invoice) =>
    `payments of ${invoice} would come to ${total}, and ${limit} is billed`,
};

/** The invoices of a contract, without tax, must not exceed its value with the approved changes. */
export const billedAboveContract: SumRule = {
  rule: 'billed_above_contract',
  child: 'invoice',
  parent: 'contract',
  parentField: 'contract_id',
  childFields: ['amount', 'net_amount', 'status'],
  limitFields: ['amount', 'approved_changes', 'revised_amount'],
  followsTotals: true,
  amountOf: (invoice) => (notBilled.has(ownMember(invoice, 'status')) ? undefined : netOf(invoice)),
  limitOf: revisedOf,
  messageOf: (total, limit, contract) =>
    `invoices of ${contract} would come to ${total}, and with its approved changes it is worth ${limit}`,
};

// A contract's value does not include tax.
function netOf(invoice: JsonObject): Money | undefined {
  const amount = moneyOf(invoice, 'amount');
  const net = moneyOf(invoice, 'net_amount');
  return net !== undefined && net.currency === amount?.currency ? net : amount;
}

/**
 * The contract's amount plus its approved changes. If no platform has approved changes, the platform's revised amount;
 * if there is none, the amount alone.
 */
function revisedOf(contract: JsonObject): Money | undefined {
  const amount = moneyOf(contract, 'amount');
  const changes = moneyOf(contract, 'approved_changes');
  if (amount !== undefined && changes?.currency === amount.currency) {
    const revised = amount.amount + changes.amount;
    return Number.isSafeInteger(revised) ? minorUnits(BigInt(revised), amount.currency) : amount;
  }
  return moneyOf(contract, 'revised_amount') ?? amount;
}
