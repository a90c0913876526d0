import { ReaderGone } from './handover';
import { StreamedJson } from './streamed-json';

async function textOf(streamed: StreamedJson): Promise<string> {
  let text = '';
  for await (const piece of streamed.pieces) text += piece;
  return text;
}

async function* batches(...lists: string[][]): AsyncGenerator<string[]> {
  for (const list of lists) yield await Promise.resolve(list);
}

describe('StreamedJson', () => {
  it.each([
    [[], '[]'],
    [[[]], '[]'],
    [[['1']], '[1]'],
    [[['1', '"a"'], [], ['{}']], '[1,"a",{}]'],
  ])('writes batches %j as the array %s', async (lists, expected) => {
    await expect(textOf(StreamedJson.array(batches(...lists)))).resolves.toBe(expected);
  });

  it('gives what a function writes', async () => {
    const streamed = StreamedJson.written(async (write) => {
      await write('[1');
      await write(',2]');
    });
    await expect(textOf(streamed)).resolves.toBe('[1,2]');
  });

  it('runs the function as far as it is read', async () => {
    let written = 0;
    const streamed = StreamedJson.written(async (write) => {
      for (;;) {
        await write('x');
        written += 1;
      }
    });
    const pieces = streamed.pieces[Symbol.asyncIterator]();
    expect(written).toBe(0);
    for (let reads = 0; reads < 3; reads += 1) await pieces.next();
    expect(written).toBe(2);
    await pieces.return?.();
  });

  it('passes on what the function throws', async () => {
    const streamed = StreamedJson.written(async (write) => {
      await write('[');
      throw new Error('the database went away');
    });
    await expect(textOf(streamed)).rejects.toThrow('the database went away');
  });

  it('ends the function when the reader stops, and waits for its clean-up', async () => {
    const events: unknown[] = [];
    const streamed = StreamedJson.written(async (write) => {
      try {
        for (;;) await write('x');
      } catch (error) {
        await Promise.resolve();
        events.push(error);
        throw error;
      }
    });
    for await (const piece of streamed.pieces) {
      expect(piece).toBe('x');
      break;
    }
    expect(events).toEqual([expect.any(ReaderGone)]);
  });
});
