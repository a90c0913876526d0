import type { Response } from 'express';
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { ResponseMemory, NeedsRoom, UNREAD_AFTER_MS, type CutResponse } from './response-memory';
import { ClientGone } from '../../request/client-gone';
import { PendingResponse } from './pending-response';

const KB = 1024;

/** A response of a customer; `pending` is its memory account. */
function responseOf(owner: string): { response: Response; pending: PendingResponse; socket: Socket } {
  const socket = new Socket();
  socket.on('close', () => response.emit('close'));
  const request = new IncomingMessage(socket);
  // The test uses no other member of Express's messages.
  const response = new ServerResponse(request) as unknown as Response;
  const pending = new PendingResponse(owner, response);
  Object.assign(request, { pendingResponse: pending });
  return { response, pending, socket };
}

const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('ResponseMemory', () => {
  let memory: ResponseMemory;
  let reasons: CutResponse['reason'][];
  beforeEach(() => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate'] });
    reasons = [];
    memory = new ResponseMemory(
      { made: { each: 100 * KB, all: 200 * KB }, held: { each: 120 * KB, all: 240 * KB } },
      ({ reason }) => void reasons.push(reason),
    );
  });
  afterEach(() => jest.useRealTimers());

  const write = (owner: string, bytes: number) => {
    const answer = responseOf(owner);
    memory.count(answer.response, bytes);
    answer.response.end(Buffer.alloc(bytes)); // No client reads it.
    return answer;
  };

  /** A response that has reserved its memory. */
  const made = async (owner: string, bytes: number) => {
    const answer = responseOf(owner);
    await memory.reserve(answer.pending, bytes);
    return answer;
  };

  const send = ({ response }: ReturnType<typeof responseOf>, bytes: number): void => {
    memory.count(response, bytes);
    response.end(Buffer.alloc(bytes));
  };

  const pass = async (milliseconds: number): Promise<void> => {
    await jest.advanceTimersByTimeAsync(milliseconds);
    await settle(); // The result of a check appears in the following turn.
    await settle();
  };

  it('holds an answer’s reservation until it is made, then its size, and nothing when it is sent', async () => {
    const { response, pending } = responseOf('a');
    await memory.reserve(pending, 90 * KB);
    expect(memory.used).toBe(90 * KB);
    memory.count(response, 40 * KB);
    expect(memory.used).toBe(40 * KB);
    response.emit('close');
    expect(memory.used).toBe(0);
  });

  it('keeps nothing for a client that leaves while it waits, or has left', async () => {
    const [first, second, third] = [responseOf('a'), responseOf('a'), responseOf('a')];
    await memory.reserve(first.pending, 90 * KB);
    const waiting = memory.reserve(second.pending, 90 * KB);
    second.response.emit('close');
    await expect(waiting).rejects.toThrow(ClientGone);
    third.response.emit('close');
    await expect(memory.reserve(third.pending, 1)).rejects.toThrow(ClientGone);
    const late = responseOf('b');
    const granted = memory.reserve(late.pending, 50 * KB);
    late.response.emit('close'); // Between the grant and the moment at which the response receives it.
    await granted;
    first.response.emit('close');
    expect(memory.used).toBe(0);
  });

  it('reserves more for an answer that shows to need more', async () => {
    const { pending } = responseOf('a');
    const rooms: number[] = [];
    const made = await memory.withRoom(pending, (room) => {
      rooms.push(room);
      return Promise.resolve(rooms.length === 1 ? new NeedsRoom(7 * KB * KB) : 'made');
    });
    expect({ made, rooms }).toEqual({ made: 'made', rooms: [KB * KB, 7 * KB * KB] });
  });

  it('cuts the oldest answer of a client that leaves too much unread, of answers that reserved nothing', async () => {
    const [first, second, third] = [write('a', 50 * KB), write('a', 50 * KB), write('a', 50 * KB)];
    await settle();
    expect([first, second, third].map(({ socket }) => socket.destroyed)).toEqual([true, false, false]);
  });

  it('cuts unread responses of the largest holder when another customer waits, and never those of the waiting one', async () => {
    const large = [await made('a', 100 * KB), await made('c', 95 * KB)];
    for (const one of large) send(one, one.pending.owner === 'a' ? 100 * KB : 95 * KB);
    const small = responseOf('b');
    const waits = memory.reserve(small.pending, 20 * KB);
    await pass(UNREAD_AFTER_MS + 200);
    await waits;
    expect(large.map(({ socket }) => socket.destroyed)).toEqual([true, false]);
    expect(small.socket.destroyed).toBe(false);
    expect(reasons).toEqual(['another_waits']);
  });

  it('gives a client time for its answer, however long the answer has waited before', async () => {
    const first = await made('c', 100 * KB);
    send(first, 95 * KB);
    const late = await made('a', 100 * KB);
    await pass(2_000);
    send(late, 100 * KB);
    first.response.emit('close');
    send(await made('c', 95 * KB), 95 * KB);
    const waits = memory.reserve(responseOf('b').pending, 20 * KB);
    await pass(UNREAD_AFTER_MS - 200);
    expect(reasons).toEqual([]);
    await pass(400);
    await waits;
    expect(late.socket.destroyed).toBe(true);
    expect(reasons).toEqual(['another_waits']);
  });

  it('cuts a response once, and no further one before that one has released its memory', async () => {
    const first = await made('a', 60 * KB);
    const large = [first, await made('a', 40 * KB), await made('c', 95 * KB)];
    first.socket.removeAllListeners('close');
    for (const one of large) send(one, one === first ? 60 * KB : 40 * KB);
    const rest = await made('c', 55 * KB);
    const waits = memory.reserve(responseOf('b').pending, 20 * KB, 10_000);
    await pass(3 * UNREAD_AFTER_MS);
    expect(large.map(({ socket }) => socket.destroyed)).toEqual([true, false, false]);
    expect(reasons).toEqual(['another_waits']);
    first.response.emit('close');
    await waits;
    rest.response.emit('close');
  });

  it('cuts no response that is being made, and none that its client has read', async () => {
    const making = await made('a', 100 * KB); // A stream between two pages.
    memory.count(making.response);
    const taken = await made('c', 95 * KB);
    memory.count(taken.response, 95 * KB);
    const waits = memory.reserve(responseOf('b').pending, 20 * KB, 10_000);
    await pass(5_000);
    expect([making, taken].map(({ socket }) => socket.destroyed)).toEqual([false, false]);
    taken.response.emit('close');
    await waits;
    expect(reasons).toEqual([]);
  });

  it('does not count small answers that reserved nothing', () => {
    const answers = Array.from({ length: 1000 }, () => write('a', KB));
    expect(memory.used).toBe(0);
    expect(answers.filter(({ socket }) => socket.destroyed)).toEqual([]);
  });
});
