import { ownMember, type JsonObject } from '@app/mapper';
import { companyUrl, isGuid, withOptions } from '../addresses';
import { NO_GUID } from '../pages/field-kinds';
import type { Session } from '../session';
import { localCurrency } from './local-currency';
import { NotPermitted } from './records-in';
import { readAll } from './read-list';

/** Where a payment's currency may be found, the most reliable source first. */
const sources = [
  { field: 'appliesToInvoiceId', set: 'salesInvoices' },
  { field: 'customerId', set: 'customers' },
] as const;

// One write compares the payment several times and uses its own session.
const known = new WeakMap<Session, Map<string, string>>();

/**
 * The currency code of a payment whose page has no currency: that of the invoice it is applied to, else of its
 * customer, else of the company. Stored records inherit the currency in the same way. A write asks the platform
 * instead, so that it uses the present state.
 *
 * @throws PlatformError; the signal's reason
 */
export async function paymentCurrency(
  session: Session,
  payment: JsonObject,
  signal: AbortSignal,
): Promise<string> {
  const keys = sources.map(({ field }) => keyIn(payment, field));
  const name = keys.join(' ');
  const codes = known.get(session) ?? new Map<string, string>();
  known.set(session, codes);
  const code = codes.get(name) ?? (await currencyNow(session, keys, signal));
  codes.set(name, code);
  return code;
}

async function currencyNow(
  session: Session,
  keys: readonly (string | undefined)[],
  signal: AbortSignal,
): Promise<string> {
  for (const [index, { set }] of sources.entries()) {
    const key = keys[index];
    const code = key === undefined ? undefined : await currencyIn(session, set, key, signal);
    // A blank code means the company's own currency, as in other fields.
    if (code !== undefined && code.trim() !== '') return code.trim().toUpperCase();
    if (code !== undefined) break;
  }
  return localCurrency(session, signal);
}

function keyIn(payment: JsonObject, field: string): string | undefined {
  const key = ownMember(payment, field);
  return typeof key === 'string' && isGuid(key) && key !== NO_GUID ? key.toLowerCase() : undefined;
}

async function currencyIn(
  session: Session,
  set: string,
  key: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  const url = withOptions(`${companyUrl(session.settings)}/${set}`, {
    select: 'id,currencyCode',
    filter: `id eq ${key}`,
  });
  try {
    const found = (await readAll(session, url, signal)).find((record) => {
      const id = ownMember(record, 'id');
      return typeof id === 'string' && id.toLowerCase() === key;
    });
    const currency = found && ownMember(found, 'currencyCode');
    return typeof currency === 'string' ? currency : undefined;
  } catch (error) {
    // If invoices may not be read, the customer determines the currency, and then the company.
    if (!(error instanceof NotPermitted)) throw error;
    return undefined;
  }
}
