import { across, type ValueBinding } from '../../mapping/binding';
import type { Codec } from '../../mapping/codec';

/**
 * A field that one resource shows in one place and a second resource in another (people and users). It is read from
 * whichever is there, the first before the second, and written where the record has it, to the first of a new one.
 */
export function valueOfEither<Value>(
  first: string,
  second: string,
  codec: Codec<Value>,
): ValueBinding<Value> {
  return across<Value>(
    [
      [first, codec.schema],
      [second, codec.schema],
    ],
    {
      alternatives: true,
      decode: ([one, other], context) => {
        const native = one ?? other ?? one;
        return native === undefined ? undefined : codec.decode(native, context);
      },
      encode: (value, context) => [codec.encode(value, context), undefined],
    },
  );
}
