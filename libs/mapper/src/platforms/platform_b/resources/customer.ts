import { fields, never } from '../../../resource/native-field';
import { COMPUTED, lastModified, ownId, page } from './common';

export const customers = page({
  name: 'customers',
  requiredToCreate: ['displayName'],
  fields: [
    ownId,
    fields('code', 'number'),
    fields('text', 'displayName'),
    fields('word', 'type'),
    fields('text', 'addressLine1', 'addressLine2', 'city', 'state'),
    fields('code', 'country'),
    fields('text', 'postalCode', 'phoneNumber', 'email', 'website'),
    fields('code', 'salespersonCode'),
    never(COMPUTED, fields('decimal', 'balanceDue')),
    fields('decimal', 'creditLimit'),
    fields('boolean', 'taxLiable'),
    fields('guid', 'taxAreaId'),
    never('is shown of the tax area', fields('text', 'taxAreaDisplayName')),
    fields('text', 'taxRegistrationNumber'),
    fields('guid', 'currencyId'),
    fields('code', 'currencyCode'),
    fields('guid', 'paymentTermsId', 'shipmentMethodId', 'paymentMethodId'),
    fields('word', 'blocked'),
    lastModified,
  ],
});
