import { withoutContext } from '../../mapping/codec';
import type { RecordId, ResourceOptions } from '../../mapping/resource';
import { guid } from './codecs';

/** Every record's key is its `id`. */
const recordId: RecordId = {
  path: 'id',
  schema: guid.schema,
  decode: (wire) => guid.decode(wire, withoutContext),
  encode: (id) => id,
};

/** What all resources have in common. A blank currency means the company's local one. */
export const everyResource = {
  id: recordId,
  blankCurrency: 'local',
} as const satisfies ResourceOptions;
