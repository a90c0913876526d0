import { fields, lockedWhen, never } from '../../../resource/native-field';
import { ownId, page } from './common';
import {
  amounts,
  computedInLines,
  currencyCode,
  currencyId,
  dimensions,
  documentEnd,
  documentNumber,
  parties,
} from './document';

/** Orders. A released one is locked in part. */
export const salesOrders = page({
  name: 'salesOrders',
  documentWord: 'Order',
  lines: 'salesOrderLines',
  computedInLines,
  requiredToCreate: ['customerId'],
  fields: [
    ownId,
    documentNumber,
    fields('code', 'externalDocumentNumber'),
    fields('date', 'orderDate', 'postingDate'),
    parties,
    dimensions,
    currencyId,
    currencyCode,
    lockedWhen('released', fields('boolean', 'pricesIncludeTax')),
    fields('guid', 'paymentTermsId'),
    lockedWhen('released', fields('guid', 'shipmentMethodId')),
    fields('code', 'salesperson'),
    lockedWhen('released', fields('boolean', 'partialShipping'), fields('date', 'requestedDeliveryDate')),
    amounts('totalAmountExcludingTax'),
    // The platform does not mark it as read-only, but this service never sends it.
    never('follows from the shipments', fields('boolean', 'fullyShipped')),
    documentEnd,
  ],
});
