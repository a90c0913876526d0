import type { JsonValue } from '../../json/json-value';
import { withoutContext } from '../codec';
import { enumerationCodec } from './enumeration';

const words = enumerationCodec({ draft: 'Draft', pricing: 'Draft', sent: 'Sent', gone: null });
const folded = enumerationCodec(
  { draft: 'Draft', sent: 'Sent' },
  { fold: (literal) => literal.trim().toLowerCase(), blank: ' ' },
);
const truths = enumerationCodec({ never: null, open: true, closed: false });
const read = (codec: typeof words | typeof folded | typeof truths, wire: JsonValue) =>
  codec.decode(wire, withoutContext);

describe('an enumerated value', () => {
  it('is the first of those that share a literal; an unlisted literal is unknown', () => {
    expect(['Draft', 'Sent', 'draft', '', null].map((wire) => read(words, wire))).toEqual([
      ...['draft', 'sent', 'unknown', 'unknown', null],
    ]);
    expect([true, false, null].map((wire) => read(truths, wire))).toEqual(['open', 'closed', null]);
  });

  it('is compared in its second form, where nothing has one as well', () => {
    expect(['Draft', ' SENT', 'late', '', ' ', '\t', null].map((wire) => read(folded, wire))).toEqual([
      ...['draft', 'sent', 'unknown', null, null, null, null],
    ]);
  });

  it('is of one type', () => {
    expect([words.schema.type, truths.schema.type]).toEqual(['string', 'boolean']);
    expect(() => read(words, true)).toThrow('expected a string');
    expect(() => read(truths, 'true')).toThrow('expected true or false');
  });

  it('is written as its literal, as nothing where it has none, and not at all where it is unknown', () => {
    const written = (['draft', 'pricing', 'sent', 'gone', 'unknown', null] as const).map((value) =>
      words.encode(value, withoutContext),
    );
    expect(written).toEqual(['Draft', 'Draft', 'Sent', undefined, undefined, null]);
    expect([folded.encode(null, withoutContext), truths.encode('closed', withoutContext)]).toEqual([
      ' ',
      false,
    ]);
  });
});
