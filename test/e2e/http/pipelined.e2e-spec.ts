import type { Socket } from 'node:net';
import { api } from '../../support/app/api';
import { startApp, type Caller, type RunningApp } from '../../support/app/app';
import { connect } from '../../support/customers/listings';
import { rawHttp } from '../../support/http/raw-http';

describe('What comes behind a valid change on its connection', () => {
  let service: RunningApp;
  let caller: Caller;
  let count = 0;
  beforeAll(async () => {
    service = await startApp();
    caller = await service.openSession();
    const client = api(service.url, caller.key);
    await connect(client, 'platform_a');
    await connect(client, 'platform_b');
  });
  afterAll(() => service.close());

  /** A change, and the note that it makes. */
  function change(): { text: string; note: string } {
    const note = `Note ${(count += 1)}`;
    const body = JSON.stringify({
      format: 'platform',
      platform: 'platform_a',
      platform_id: '1823456',
      entity_type: 'payment',
      data: { notes: note },
    });
    return { text: post('/propagate', `Content-Length: ${body.length}`) + body, note };
  }

  const post = (path: string, ...fields: string[]): string =>
    [`POST /api/v1${path} HTTP/1.1`, 'Host: x', 'Content-Type: application/json', ...fields]
      .concat(`Authorization: Bearer ${caller.key}`, '', '')
      .join('\r\n');

  const behind: Record<string, [text: () => string, status: number]> = {
    'what is no HTTP': [() => 'garbage\r\n\r\n', 400],
    'a single byte that is none': [() => '\0', 400],
    'headers without end': [() => `GET / HTTP/1.1\r\nHost: x\r\nX-A: ${'a'.repeat(40_000)}\r\n\r\n`, 431],
    'two lengths that differ': [
      () => post('/propagate', 'Content-Length: 2', 'Content-Length: 3') + '{}',
      400,
    ],
    'broken chunks': [() => post('/transform', 'Transfer-Encoding: chunked') + 'no length\r\n', 400],
    CONNECT: [() => 'CONNECT example:443 HTTP/1.1\r\nHost: example:443\r\n\r\n', 415],
  };

  const ways: Record<string, (socket: Socket, change: string, rest: string) => void> = {
    'in one piece': (socket, text, rest) => socket.write(text + rest),
    'in a piece of its own': (socket, text, rest) =>
      socket.write(text, () => setImmediate(() => socket.write(rest))),
    'in many pieces': (socket, text, rest) => {
      socket.write(text);
      for (const part of rest.match(/[^]{1,5000}/g) ?? []) socket.write(part);
      setTimeout(() => socket.write('more of it'), 5);
    },
  };

  const cases = Object.keys(behind).flatMap((what) => Object.keys(ways).map((way) => [what, way] as const));

  it.each(cases)('is answered after it: %s, %s', async (what, way) => {
    const [rest, status] = behind[what] ?? [() => '', 0];
    const { text, note } = change();
    const answers = await rawHttp(service.url, (socket) => ways[way]?.(socket, text, rest()));
    expect(answers.map((answer) => answer.status)).toEqual([200, status]);
    expect(answers[0]?.body).toContain('propagation_id');
    expect(answers[1]?.headers).toMatchObject({ connection: 'close' });
    const payment = await api(service.url, caller.key).get(
      '/objects?platform=platform_a&entity_type=payment',
    );
    expect(payment.text).toContain(note);
  });

  it('is answered after all that came before it', async () => {
    const [first, second] = [change(), change()];
    const reading = `GET /api/v1/connections HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${caller.key}\r\n\r\n`;
    const answers = await rawHttp(service.url, first.text + reading + second.text + 'garbage\r\n\r\n');
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 400]);
  });
});
