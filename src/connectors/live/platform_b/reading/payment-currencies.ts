import { ownMember, type JsonObject } from '@app/mapper';
import { companyUrl, isGuid, withOptions } from '../addresses';
import { NO_GUID } from '../pages/field-kinds';
import type { Session } from '../session';
import { NotPermitted } from './records-in';
import { readAll } from './read-list';

/** Keys that one filter names. */
const MOST_NAMED = 40;

/** Where a payment's currency may stand, the best source first. */
const sources = [
  { field: 'appliesToInvoiceId', set: 'salesInvoices' },
  { field: 'customerId', set: 'customers' },
] as const;

/**
 * The currency of payments where their page has none: that of the invoice they are applied to, else of their customer. It
 * is added to the payment as `currencyCode`, as a page with a currency shows it.
 */
export class PaymentCurrencies {
  /** By entity set and key. */
  private readonly known = new Map<string, string>();
  /** Entity sets of which all are known. */
  private readonly whole = new Set<string>();

  constructor(private readonly session: Session) {}

  /** The payments with their currencies; as they are where their page shows it. @throws PlatformError */
  async added(payments: readonly JsonObject[], signal: AbortSignal): Promise<readonly JsonObject[]> {
    if (this.session.settings.payments_url !== undefined) return payments;
    let open = payments;
    for (const { field, set } of sources) {
      await this.learn(set, new Set(open.flatMap((payment) => keyIn(payment, field))), signal);
      open = open.filter((payment) => this.currencyOf(payment) === undefined);
    }
    // Blank means the company's own, here as elsewhere.
    return payments.map((payment) => ({ ...payment, currencyCode: this.currencyOf(payment) ?? '' }));
  }

  /** The currency that a payment would take. @throws PlatformError */
  async of(payment: JsonObject, signal: AbortSignal): Promise<string> {
    await this.added([payment], signal);
    return this.currencyOf(payment) ?? '';
  }

  private currencyOf(payment: JsonObject): string | undefined {
    for (const { field, set } of sources) {
      const [key] = keyIn(payment, field);
      const currency = key === undefined ? undefined : this.known.get(`${set} ${key}`);
      if (currency !== undefined) return currency;
    }
    return undefined;
  }

  private async learn(set: string, keys: ReadonlySet<string>, signal: AbortSignal): Promise<void> {
    const wanted = [...keys].filter((key) => !this.known.has(`${set} ${key}`));
    if (wanted.length === 0 || this.whole.has(set)) return;
    // Many single keys would take more calls than the whole list does.
    const some = wanted.length <= MOST_NAMED ? wanted : undefined;
    if (some === undefined) this.whole.add(set);
    const url = withOptions(`${companyUrl(this.session.settings)}/${set}`, {
      select: 'id,currencyCode',
      ...(some !== undefined && { filter: some.map((key) => `id eq ${key}`).join(' or ') }),
    });
    try {
      for (const record of await readAll(this.session, url, signal)) {
        const id = ownMember(record, 'id');
        const currency = ownMember(record, 'currencyCode');
        if (typeof id === 'string' && typeof currency === 'string')
          this.known.set(`${set} ${id.toLowerCase()}`, currency);
      }
    } catch (error) {
      // Invoices that may not be read leave the currency to the customer, and then to the company.
      if (!(error instanceof NotPermitted)) throw error;
    }
  }
}

function keyIn(payment: JsonObject, field: string): string[] {
  const key = ownMember(payment, field);
  return typeof key === 'string' && isGuid(key) && key !== NO_GUID ? [key.toLowerCase()] : [];
}
