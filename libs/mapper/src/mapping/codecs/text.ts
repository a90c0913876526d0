import { Unfit, unfit, type Codec } from '../codec';

/** How a platform writes text. */
export interface TextForm {
  /** What stands for "nothing". */
  readonly blank: '' | null;
  /** Most characters the platform takes; longer text is refused, never cut. */
  readonly longest?: number;
  /** The platform trims and upper-cases it, as it does with its codes. */
  readonly folded?: true;
}

/** Free text, or a code. An empty string reads as nothing. */
export function textCodec({ blank, longest, folded }: TextForm): Codec<string> {
  const expects = longest === undefined ? 'a string' : `a string of at most ${longest} characters`;
  return {
    expects,
    decode: (wire) => {
      if (wire === null || wire === '') return null;
      if (typeof wire !== 'string') throw unfit('a string', wire);
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
