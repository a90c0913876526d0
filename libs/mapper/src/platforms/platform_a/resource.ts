import type { JsonValue } from '../../json/json-value';
import type { ValueContext } from '../../mapping/codec';
import { nativeId } from './codecs';

const noContext: ValueContext = { currency: undefined, localCurrency: '' };

/** Every record's ID stands in `id`. */
export const recordId = {
  path: 'id',
  decode: (wire: JsonValue): string | null => nativeId.decode(wire, noContext),
  encode: (id: string): JsonValue => nativeId.encode(id, noContext) ?? null,
};

/** Where a record with a currency of its own has it. */
export const ownCurrency = 'currency_configuration.currency_iso_code';
