import { fc } from '../../../libs/mapper/src/testing/property';
import { Webhook } from 'standardwebhooks';
import { newSecret, signedHeaders } from './signature';

describe('signedHeaders()', () => {
  const timestamp = Math.floor(Date.now() / 1_000);

  it('are verified by the library of the specification, with each of the secrets and no other', () => {
    fc.assert(
      fc.property(fc.json(), fc.integer({ min: 1, max: 2 }), (body, count) => {
        const secrets = Array.from({ length: count }, newSecret);
        const headers = signedHeaders({ id: 'evt_0123_7', timestamp, body }, secrets);
        for (const secret of secrets) new Webhook(secret).verify(body, { ...headers });
        expect(() => new Webhook(newSecret()).verify(body, { ...headers })).toThrow();
        expect(() => new Webhook(secrets[0] ?? '').verify(`${body} `, { ...headers })).toThrow();
      }),
    );
  });
});

describe('newSecret()', () => {
  it('is 32 bytes in base64, another one each time', () => {
    const secrets = [newSecret(), newSecret()];
    for (const secret of secrets) expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(new Set(secrets).size).toBe(2);
  });
});
