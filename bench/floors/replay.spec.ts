import type { Client } from 'pg';
import { FrontendReader, type SentStatement } from './recording-proxy';
import { recordingsOf, replay } from './replay';

const record = '00000004-0000-4000-8000-000000000012';
const made = ['6f9619ff-8b86-4d01-b42d-00cf4fc964ff', '16fd2706-8baf-433b-82eb-8c7fada847da'];

function request(uuid: string, more: readonly string[] = []): readonly SentStatement[] {
  const simple = ['begin', ...more].map((text) => ({ connection: 0, text, name: '', values: undefined }));
  const values = [record, null, `{"id":"${uuid}"}`, uuid];
  return [...simple, { connection: 0, text: 'insert', name: 'named', values }];
}

describe('the recording of a request', () => {
  const twice = [request(made[0] ?? ''), request(made[1] ?? '')] as const;

  it('knows the UUIDs that were made up for it from those that stay', () =>
    expect(recordingsOf([twice])[0]?.fresh).toEqual([made[1]]));

  it('is not kept when something else came in between', () => {
    const disturbed = [twice[0], request(made[1] ?? '', ['select 1'])] as const;
    expect(recordingsOf([twice, disturbed, twice])).toHaveLength(2);
  });

  it('is refused when the usual statements are not usual', () => {
    const others = ['a', 'b', 'c'].map((text) => [twice[0], request(made[1] ?? '', [text])] as const);
    expect(() => recordingsOf(others)).toThrow('too many different statements');
  });

  it('is sent again with new UUIDs, the same ones everywhere', async () => {
    const sent: unknown[] = [];
    const client = { query: (query: unknown) => Promise.resolve(sent.push(query)) };
    const [recording] = recordingsOf([twice]);
    if (recording === undefined) throw new Error('Nothing was recorded');
    await replay(client as unknown as Client, recording);
    const [begin, insert] = sent as [string, { name: string; text: string; values: string[] }];
    expect(begin).toBe('begin');
    expect(insert).toMatchObject({ name: 'named', text: 'insert' });
    const [same, none, json, fresh] = insert.values;
    expect([same, none]).toEqual([record, null]);
    expect(made).not.toContain(fresh);
    expect(json).toBe(`{"id":"${fresh}"}`);
  });
});

describe('a reader of what a client of PostgreSQL sends', () => {
  const text = (value: string) => Buffer.from(`${value}\0`);
  const int16 = (value: number) => Buffer.from([value >> 8, value & 255]);
  const int32 = (value: number) =>
    Buffer.from([value >> 24, value >> 16, value >> 8, value].map((byte) => byte & 255));
  const message = (type: string, ...parts: readonly Buffer[]) => {
    const body = Buffer.concat(parts);
    return Buffer.concat([Buffer.from(type), int32(body.length + 4), body]);
  };
  const parameter = (value: string) => Buffer.concat([int32(Buffer.byteLength(value)), Buffer.from(value)]);
  const bind = (name: string, ...values: readonly Buffer[]) =>
    message('B', text(''), text(name), int16(0), int16(values.length), ...values, int16(0));
  const stream = Buffer.concat([
    message('', Buffer.from('greeting')),
    message('Q', text('begin')),
    message('P', text('stored'), text('select $1, $2'), int16(0)),
    bind('stored', parameter('ä'), int32(-1)),
    message('E', text(''), int32(0)),
    bind('stored', parameter('b'), parameter('')),
    message('E', text(''), int32(0)),
    message('S'),
  ]);

  it.each([
    ['at once', stream.length],
    ['byte by byte', 1],
  ])('notes statements with their parameters, read %s', (_, size) => {
    const sent: unknown[] = [];
    const reader = new FrontendReader((statement) => sent.push(statement));
    for (let at = 0; at < stream.length; at += size) reader.push(stream.subarray(at, at + size));
    expect(sent).toEqual([
      { text: 'begin', name: '', values: undefined },
      { text: 'select $1, $2', name: 'stored', values: ['ä', null] },
      { text: 'select $1, $2', name: 'stored', values: ['b', ''] },
    ]);
  });
});
