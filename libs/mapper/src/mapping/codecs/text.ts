import { Unfit, unfit, type Codec } from '../codec';
import type { ValueSchema } from '../../canonical/schema';

/** How a platform writes text. */
export interface TextForm {
  /** The platform's form of "nothing". */
  readonly blank: '' | null;
  /** Most characters the platform takes; longer text is refused, never cut. */
  readonly longest?: number;
  /** The platform trims and upper-cases it, as it does with its codes. */
  readonly folded?: true;
}

// Longer text is read all the same: the length matters when it is written.
const anyText: ValueSchema = { type: 'string' };

/** Free text, or a code. An empty string reads as nothing. */
export function textCodec({ blank, longest, folded }: TextForm): Codec<string> {
  return {
    schema: { ...anyText, ...(longest !== undefined && { maxLength: longest }) },
    decode: (wire) => {
      if (wire === null || wire === '') return null;
      if (typeof wire !== 'string') throw unfit(anyText, wire);
      return wire;
    },
    encode: (value) => {
      if (value === null) return blank;
      const written = folded ? value.trim().toUpperCase() : value;
      if (longest !== undefined && written.length > longest) {
        throw new Unfit(`is longer than the ${longest} characters the platform takes`);
      }
      return written;
    },
  };
}
