import { Readable } from 'node:stream';
import { textOf } from './input';

const read = (...chunks: (string | Uint8Array)[]) => textOf(Readable.from(chunks), 'a command < file');

describe('standard input', () => {
  it('is read to its end, wherever it is cut', async () => {
    const bytes = Buffer.from('{"a":"é – 建設"}');
    expect(await read(...Array.from(bytes, (byte) => Uint8Array.of(byte)))).toBe('{"a":"é – 建設"}');
    expect(await read('{"a":', '1}')).toBe('{"a":1}');
  });

  it('may begin with the mark that some editors write', async () => {
    expect(await read(Buffer.from('\ufeff{}'))).toBe('{}');
  });

  it('is refused from a terminal, unread', async () => {
    const terminal = Object.assign(Readable.from(['{}']), { isTTY: true });
    await expect(textOf(terminal, 'a command < file')).rejects.toThrow(
      /^This command reads JSON from standard input: a command < file$/,
    );
    expect(terminal.readableDidRead).toBe(false);
  });

  it.each([[[]], [['']], [[' \n']]])('is refused when it is empty: %j', async (chunks) => {
    await expect(read(...chunks)).rejects.toThrow(/^Standard input is empty: a command < file$/);
  });

  it('is refused beyond its limit, and not read further', async () => {
    let given = 0;
    function* endless(): Generator<Uint8Array> {
      for (;;) {
        given += 1;
        yield Buffer.alloc(65_536, 'x');
      }
    }
    await expect(textOf(Readable.from(endless()), '')).rejects.toThrow(
      /^Standard input has more than 256 KB$/,
    );
    expect(given).toBeLessThan(64);
    expect(await read(Buffer.alloc(262_144, 'x'))).toHaveLength(262_144);
  });

  it('is refused when it is no text', async () => {
    await expect(read(Uint8Array.of(0xff, 0xfe, 0x7b))).rejects.toThrow(/^Standard input is no UTF-8 text$/);
  });
});
