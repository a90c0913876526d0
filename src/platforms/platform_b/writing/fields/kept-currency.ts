import { ownMember, type JsonObject, type NativeChange } from '@app/mapper';

/** Fields with which the platform also sets the record's currency, unless the same body names one. */
const settingCurrency: ReadonlySet<string> = new Set([
  'customerId',
  'customerNumber',
  'billToCustomerId',
  'billToCustomerNumber',
  'appliesToInvoiceId',
  'appliesToInvoiceNumber',
]);

/** Changes of a record, with its present currency if one of them would set another. Pure. */
export function withCurrencyKept(
  record: JsonObject,
  changes: readonly NativeChange[],
): readonly NativeChange[] {
  const names = changes.map(({ path: [name = ''] }) => name);
  const currencyCode = ownMember(record, 'currencyCode');
  const isSet = names.some((name) => settingCurrency.has(name)) && !names.includes('currencyCode');
  return isSet && currencyCode !== undefined
    ? [...changes, { path: ['currencyCode'], value: currencyCode }]
    : changes;
}
