import { fields, never } from '../../../resource/native-field';
import { ownId, page } from './common';
import { amounts, computedInLines, dimensions, documentEnd, documentNumber, parties } from './document';

const ACTIONS = 'is set by actions of the platform';

/** Quotes. */
export const salesQuotes = page({
  name: 'salesQuotes',
  lines: 'salesQuoteLines',
  computedInLines,
  requiredToCreate: ['customerId'],
  fields: [
    ownId,
    documentNumber,
    fields('code', 'externalDocumentNumber'),
    fields('date', 'documentDate', 'dueDate'),
    parties,
    fields('guid', 'currencyId'),
    dimensions,
    fields('code', 'currencyCode'),
    amounts('totalAmountExcludingTax'),
    never(ACTIONS, fields('time', 'sentDate')),
    fields('date', 'validUntilDate'),
    never(ACTIONS, fields('date', 'acceptedDate')),
    documentEnd,
  ],
});
