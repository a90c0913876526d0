import { ownMember, type JsonObject, type NativeChange } from '@app/mapper';

/** Fields that bring a currency with them: the platform sets that of the record anew, unless the same body names it. */
const bringers: ReadonlySet<string> = new Set([
  'customerId',
  'customerNumber',
  'billToCustomerId',
  'billToCustomerNumber',
  'appliesToInvoiceId',
  'appliesToInvoiceNumber',
]);

/** Changes of a record and, where one of them would bring another currency, the currency that the record has. Pure. */
export function withCurrencyKept(
  record: JsonObject,
  changes: readonly NativeChange[],
): readonly NativeChange[] {
  const names = changes.map(({ path: [name = ''] }) => name);
  const currencyCode = ownMember(record, 'currencyCode');
  const isBrought = names.some((name) => bringers.has(name)) && !names.includes('currencyCode');
  return isBrought && currencyCode !== undefined
    ? [...changes, { path: ['currencyCode'], value: currencyCode }]
    : changes;
}
