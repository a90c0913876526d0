import { createServer, IncomingMessage, ServerResponse, type Server } from 'node:http';
import { Socket, type AddressInfo } from 'node:net';
import { atEndOfTurn, sendTogether, sendWaiting } from './end-of-turn';

const endOfTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

const some = new ServerResponse(new IncomingMessage(new Socket()));

describe('atEndOfTurn', () => {
  let sent: number[];
  const send = (from: number, to: number) => {
    for (let answer = from; answer < to; answer += 1) atEndOfTurn(some, () => void sent.push(answer));
  };
  beforeEach(() => (sent = []));

  it('sends the responses of one turn together after its work, in order', async () => {
    send(0, 3);
    await Promise.resolve();
    expect(sent).toEqual([]);
    await endOfTurn();
    expect(sent).toEqual([0, 1, 2]);
  });

  it('sends at the latest with 31 other responses', async () => {
    send(0, 31);
    expect(sent).toEqual([]);
    send(31, 70);
    expect(sent).toEqual([...Array(64).keys()]);
    await endOfTurn();
    expect(sent).toEqual([...Array(70).keys()]);
  });

  it('sends in the next turn what becomes ready while others are sent', async () => {
    atEndOfTurn(some, () => send(1, 2));
    await endOfTurn();
    await endOfTurn();
    expect(sent).toEqual([1]);
  });

  describe('over HTTP', () => {
    let server: Server;
    afterEach(() => new Promise((resolve) => server.close(resolve)));

    it.each([3, 32, 40])(
      'sends the other ones of %d responses when one fails, and cuts the connection of that one',
      async (count) => {
        const arrived: ServerResponse[] = [];
        server = createServer((_request, response) => {
          arrived.push(response);
          if (arrived.length < count) return;
          for (const each of arrived) {
            atEndOfTurn(each, () => {
              if (each.req.url === '/1') throw new Error('It cannot be sent');
              each.end('whole');
            });
          }
        });
        await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
        const { port } = server.address() as AddressInfo;
        const answers = await Promise.allSettled(
          Array.from({ length: count }, async (_, index) =>
            (await fetch(`http://127.0.0.1:${port}/${index}`, { headers: { Connection: 'close' } })).text(),
          ),
        );
        const broken = answers.flatMap(({ status }, index) => (status === 'rejected' ? [index] : []));
        expect(broken).toEqual([1]);
        const lost = arrived.find(({ req }) => req.url === '/1');
        expect(lost?.errored).toEqual(new Error('It cannot be sent'));
      },
    );
  });

  it('sends all waiting responses when one cannot wait, and none twice', async () => {
    send(0, 2);
    sendWaiting();
    expect(sent).toEqual([0, 1]);
    send(2, 3);
    await endOfTurn();
    expect(sent).toEqual([0, 1, 2]);
  });
});

describe('sendTogether', () => {
  /** The response to one request, whose handler records when the head and the whole response are made. */
  const responseTo = async (
    handle: (response: ServerResponse) => void,
    method = 'GET',
  ): Promise<{ response: Response; text: string }> => {
    class Together extends ServerResponse {}
    sendTogether(Together.prototype);
    const server = createServer({ ServerResponse: Together }, (_request, response) => handle(response));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo; // A server that listens on TCP has such an address.
    try {
      const response = await fetch(`http://127.0.0.1:${port}/`, { method });
      return { response, text: await response.text() };
    } finally {
      await new Promise((resolve) => server.close(resolve));
    }
  };

  it('makes the head of a whole answer at once, and sends it at the end of the turn', async () => {
    const states: unknown[] = [];
    const { text, response } = await responseTo((answer) => {
      answer.setHeader('Content-Length', 5);
      answer.end('whole');
      states.push(answer.headersSent, answer.writableEnded);
      setImmediate(() => states.push(answer.writableEnded));
    });
    expect({ text, states }).toEqual({ text: 'whole', states: [true, false, true] });
    expect(response.headers.get('content-length')).toBe('5');
  });

  it('says how long the answer to HEAD would be', async () => {
    const { text, response } = await responseTo(
      (answer) => answer.setHeader('Content-Length', 5).end(),
      'HEAD',
    );
    expect({ text, length: response.headers.get('content-length') }).toEqual({ text: '', length: '5' });
  });

  it.each<[string, (answer: ServerResponse) => void, string]>([
    ['one without content', (answer) => answer.end(), ''],
    ['a response without a content length', (answer) => answer.end('whole'), 'whole'],
    [
      'the end of a stream',
      (answer) => void (answer.write('a part, '), answer.end('the rest')),
      'a part, the rest',
    ],
  ])('keeps back nothing of %s', async (_, end, whole) => {
    const ended: boolean[] = [];
    const { text } = await responseTo((answer) => {
      end(answer);
      ended.push(answer.writableEnded);
    });
    expect({ text, ended }).toEqual({ text: whole, ended: [true] });
  });

  it('throws for invalid headers while another response is still possible', async () => {
    const { response } = await responseTo((answer) => {
      answer.setHeader('Content-Length', 5);
      answer.statusCode = 1;
      try {
        answer.end('whole');
      } catch {
        answer.statusCode = 500;
        answer.end('fault');
      }
    });
    expect(response.status).toBe(500);
  });
});
