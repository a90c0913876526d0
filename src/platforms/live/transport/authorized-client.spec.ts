import { AuthorizedClient, type Token, type TokenProvider } from './authorized-client';
import type { PlatformRequest } from '../platform-request';
import { PlatformResponse } from '../platform-response';
import type { PlatformResult } from '../platform-result';

const answered = (status: number): PlatformResult => ({
  kind: 'answered',
  response: new PlatformResponse(status, {}, Buffer.alloc(0)),
});

class Tokens implements TokenProvider {
  readonly refused: number[] = [];
  private generation = 1;

  token(): Promise<Token> {
    return Promise.resolve({ value: `t${this.generation}`, generation: this.generation });
  }

  renew(refused: Token): Promise<Token> {
    this.refused.push(refused.generation);
    this.generation += 1;
    return this.token();
  }
}

describe('AuthorizedClient', () => {
  const sent: (string | undefined)[] = [];
  const tokens = new Tokens();
  const request: PlatformRequest = {
    kind: 'write',
    method: 'PATCH',
    url: 'https://api.example/rest/1',
    headers: { Authorization: 'Bearer mine', accept: 'x' },
    signal: new AbortController().signal,
  };
  const client = (results: PlatformResult[]) =>
    new AuthorizedClient(
      {
        send: ({ headers }) => {
          sent.push(JSON.stringify(headers));
          return Promise.resolve(results.shift() ?? answered(200));
        },
      },
      tokens,
      ['https://api.example/rest', 'https://pay.example:8443/x'],
    );
  beforeEach(() => {
    sent.length = 0;
    tokens.refused.length = 0;
  });

  it('sends the token instead of any other', async () => {
    await expect(client([answered(200)]).send(request)).resolves.toEqual(answered(200));
    expect(sent).toEqual(['{"accept":"x","authorization":"Bearer t1"}']);
  });

  it('renews a refused token once, and repeats, a write too', async () => {
    await expect(client([answered(401), answered(201)]).send(request)).resolves.toEqual(answered(201));
    expect(sent).toEqual([
      '{"accept":"x","authorization":"Bearer t1"}',
      '{"accept":"x","authorization":"Bearer t2"}',
    ]);
    expect(tokens.refused).toEqual([1]);
  });

  it('returns a second 401 to the caller', async () => {
    await expect(client([answered(401), answered(401)]).send(request)).resolves.toEqual(answered(401));
    expect(sent).toHaveLength(2);
  });

  it.each([
    [answered(403)],
    [{ kind: 'unknown', reason: 'reset', status: 401 } as const],
    [{ kind: 'not_sent', reason: 'refused' } as const],
  ])('keeps the token after %p', async (result) => {
    await expect(client([result]).send(request)).resolves.toEqual(result);
    expect(sent).toHaveLength(1);
    expect(tokens.refused).toEqual([]);
  });

  it.each([
    'https://api.example.evil/rest/1',
    'http://api.example/rest/1',
    'https://api.example:444/rest/1',
    'https://api.example@evil.example/',
    'no address',
  ])('sends the token to no other address: %s', async (url) => {
    const result = await client([]).send({ ...request, url });
    expect(result).toEqual({ kind: 'not_sent', reason: 'foreign_address' });
    expect(sent).toEqual([]);
  });

  it('says of a write whose signal aborts before there is a token that it was not sent', async () => {
    const waiting = {
      token: (signal: AbortSignal) => Promise.reject(signal.reason as Error),
      renew: () => Promise.reject(new Error('Not asked for')),
    };
    const sender = { send: () => Promise.reject(new Error('Not sent')) };
    const signal = AbortSignal.abort(new Error('enough'));
    const hurried = new AuthorizedClient(sender, waiting, ['https://api.example']);
    await expect(hurried.send({ ...request, kind: 'write', signal })).resolves.toEqual({
      kind: 'not_sent',
      reason: 'given_up',
    });
    await expect(hurried.send({ ...request, kind: 'read', signal })).rejects.toThrow('enough');
  });

  it('knows all addresses of the platform', async () => {
    await client([]).send({ ...request, url: 'https://pay.example:8443/other' });
    expect(sent).toHaveLength(1);
  });
});
