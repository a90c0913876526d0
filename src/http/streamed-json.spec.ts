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

  it('reads no further than it is read, and ends the source when the reader stops', async () => {
    const events: string[] = [];
    async function* source(): AsyncGenerator<string[]> {
      try {
        for (;;) {
          events.push('read');
          yield await Promise.resolve(['1']);
        }
      } finally {
        events.push('ended');
      }
    }
    for await (const piece of StreamedJson.array(source()).pieces) {
      expect(piece).toBe('[1');
      break;
    }
    expect(events).toEqual(['read', 'ended']);
  });

  it('passes on what the source throws', async () => {
    async function* source(): AsyncGenerator<string[]> {
      yield await Promise.resolve(['1']);
      throw new Error('the database went away');
    }
    await expect(textOf(StreamedJson.array(source()))).rejects.toThrow('the database went away');
  });
});
