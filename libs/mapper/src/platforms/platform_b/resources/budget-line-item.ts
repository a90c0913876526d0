import { fields, never, onlyWhenCreating } from '../../../resource/native-field';
import { COMPUTED, lastModified, ownId, page } from './common';

/** Job planning lines, on a custom page. */
export const jobPlanningLines = page({
  name: 'jobPlanningLines',
  requiredToCreate: ['jobNo', 'jobTaskNo'],
  fields: [
    ownId,
    onlyWhenCreating('is fixed when the line is created', fields('code', 'jobNo', 'jobTaskNo')),
    never('counts the lines of the task', fields('integer', 'lineNo')),
    fields('word', 'lineType', 'type'),
    fields('code', 'number'),
    fields('text', 'description'),
    fields('date', 'planningDate'),
    fields('decimal', 'quantity', 'unitCost', 'unitPrice'),
    fields('code', 'unitOfMeasureCode'),
    never(COMPUTED, fields('decimal', 'totalCost', 'totalPrice', 'lineAmount')),
    never("is the job's", fields('code', 'currencyCode')),
    lastModified,
  ],
});
