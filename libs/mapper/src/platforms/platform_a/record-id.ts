import { withoutContext } from '../../mapping/codec';
import type { RecordId } from '../../mapping/resource';
import { nativeId } from './codecs';

/** Every record's ID is its `id`. */
export const recordId: RecordId = {
  path: 'id',
  schema: nativeId.schema,
  decode: (wire) => nativeId.decode(wire, withoutContext),
  encode: (id) => nativeId.encode(id, withoutContext) ?? null,
};
