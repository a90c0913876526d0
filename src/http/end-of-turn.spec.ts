import { atEndOfTurn, sendWaiting } from './end-of-turn';

const endOfTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('atEndOfTurn', () => {
  let sent: number[];
  const send = (from: number, to: number) => {
    for (let answer = from; answer < to; answer += 1) atEndOfTurn(() => void sent.push(answer));
  };
  beforeEach(() => (sent = []));

  it('sends what is ready in one turn together behind its work, in order', async () => {
    send(0, 3);
    await Promise.resolve();
    expect(sent).toEqual([]);
    await endOfTurn();
    expect(sent).toEqual([0, 1, 2]);
  });

  it('lets no answer wait for more than 31 others', async () => {
    send(0, 31);
    expect(sent).toEqual([]);
    send(31, 70);
    expect(sent).toEqual([...Array(64).keys()]);
    await endOfTurn();
    expect(sent).toEqual([...Array(70).keys()]);
  });

  it('sends in the next turn what becomes ready while others are sent', async () => {
    atEndOfTurn(() => send(1, 2));
    await endOfTurn();
    await endOfTurn();
    expect(sent).toEqual([1]);
  });

  it('sends what waits when somebody cannot wait, and nothing twice', async () => {
    send(0, 2);
    sendWaiting();
    expect(sent).toEqual([0, 1]);
    send(2, 3);
    await endOfTurn();
    expect(sent).toEqual([0, 1, 2]);
  });
});
