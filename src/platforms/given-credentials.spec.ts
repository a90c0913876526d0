import { ApiError } from '../common/errors/api-error';
import { readCredentials } from './given-credentials';
import { credentialsIn } from './live/credential-shape';
import { platformACredentials, platformASettings } from './platform_a/credentials';
import { platformBSettings } from './platform_b/credentials';

const SECRET = 'hunter2-hunter2';
const a = {
  login_url: 'https://login.example',
  api_url: 'https://api.example',
  company_id: 4711,
  client_id: 'client',
  client_secret: SECRET,
};
const b = {
  token_url: 'https://login.example/tenant/oauth2/v2.0/token',
  api_url: 'https://erp.example/v2.0/tenant/production/api/v2.0',
  company_id: 'b0f5d7a1-2c3d-4e5f-8a9b-0c1d2e3f4a5b',
  client_id: 'client',
  client_secret: SECRET,
};

const read = (platform: 'platform_a' | 'platform_b', value: unknown) =>
  readCredentials(platform, JSON.stringify(value));

function refusal(platform: 'platform_a' | 'platform_b', text: string): string {
  try {
    readCredentials(platform, text);
  } catch (error) {
    expect(error).toBeInstanceOf(ApiError);
    expect((error as ApiError).cause).toBeUndefined();
    return String(error);
  }
  throw new Error('nothing was refused');
}

describe('credentials of platform_a', () => {
  it('are settings and a secret', () => {
    const { settings, secrets } = read('platform_a', a);
    expect(settings).toEqual({
      login_url: 'https://login.example',
      api_url: 'https://api.example',
      company_id: '4711',
      client_id: 'client',
    });
    expect(secrets.names).toEqual(['client_secret']);
    expect(secrets.reveal('client_secret')).toBe(SECRET);
  });

  it('may have a currency and projects, whose IDs become text', () => {
    const text = `{"currency":"QAR","projects":[1,"2",12345678901234567890],${JSON.stringify(a).slice(1)}`;
    const { settings } = readCredentials('platform_a', text);
    expect(settings).toMatchObject({ currency: 'QAR', projects: ['1', '2', '12345678901234567890'] });
  });

  it('come typed from the store', () => {
    const { settings, secrets } = read('platform_a', { ...a, projects: [7] });
    const stored = { platform: 'platform_a', settings, secrets, changedAt: new Date() } as const;
    expect(platformASettings(stored)).toMatchObject({ company_id: '4711', projects: ['7'] });
    expect(() => platformASettings({ ...stored, settings: { ...settings, api_url: 'nonsense' } })).toThrow(
      /^The stored settings do not fit: api_url must be an https address/,
    );
  });
});

describe('credentials of platform_b', () => {
  it('are settings and a secret', () => {
    const more = {
      scope: 'https://erp.example/.default',
      currency: 'USD',
      payments_url:
        'https://erp.example/v2.0/tenant/production/api/acme/cash/v1.0/companies(7)/customerPayments',
      journal: 'CASH',
    };
    const { settings, secrets } = read('platform_b', { ...b, ...more });
    expect({ ...settings, client_secret: SECRET }).toEqual({ ...b, ...more });
    expect(secrets.reveal('client_secret')).toBe(SECRET);
    const stored = { platform: 'platform_b', settings, secrets, changedAt: new Date() } as const;
    expect(platformBSettings(stored)).toMatchObject({ journal: 'CASH' });
  });
});

describe('an address', () => {
  it.each([
    ['https://api.example/', 'https://api.example'],
    ['https://api.example:8443/base//', 'https://api.example:8443/base'],
    ['http://localhost:3000', 'http://localhost:3000'],
    ['http://127.0.0.1:3000', 'http://127.0.0.1:3000'],
    ['http://127.1.2.3', 'http://127.1.2.3'],
    ['http://[::1]:3000/', 'http://[::1]:3000'],
  ])('may be %s', (given, stored) => {
    expect(read('platform_a', { ...a, api_url: given }).settings).toMatchObject({ api_url: stored });
  });

  it.each([
    'http://api.example',
    'http://10.0.0.1',
    'http://localhost.example',
    'http://127.0.0.1.example',
    'ftp://api.example',
    'api.example',
    'https://',
    `https://user:${SECRET}@api.example`,
    `https://${SECRET}@api.example`,
    `https://api.example?token=${SECRET}`,
    `https://api.example#${SECRET}`,
    'https://api.example /x',
    'https:\\\\api.example',
    'javascript:alert(1)',
    '',
    7,
    null,
    ['https://api.example'],
    `https://${'a'.repeat(2_000)}.example`,
  ])('may not be %j', (address) => {
    const message = refusal('platform_a', JSON.stringify({ ...a, api_url: address }));
    expect(message).toMatch(/^ApiError: Invalid input: api_url must be an https address, without user/);
    expect(message).not.toContain(SECRET);
  });

  it('of the API of platform_b ends in its version', () => {
    for (const address of ['https://erp.example', 'https://erp.example/api/v1.0']) {
      expect(refusal('platform_b', JSON.stringify({ ...b, api_url: address }))).toMatch(
        /api_url must be an https address that ends in \/api\/v2\.0/,
      );
    }
    expect(read('platform_b', { ...b, api_url: `${b.api_url}/` }).settings).toMatchObject({
      api_url: b.api_url,
    });
  });
});

describe('what does not fit', () => {
  it.each([
    [{ client_secret: '' }, 'client_secret must be text of 1 to 4000 characters'],
    [{ client_secret: `${SECRET}\n` }, 'client_secret must be text'],
    [{ client_secret: ` ${SECRET}` }, 'client_secret must be text'],
    [{ client_secret: { a: SECRET } }, 'client_secret must be text'],
    [{ client_secret: [SECRET] }, 'client_secret must be text'],
    [{ client_secret: null }, 'client_secret must be text'],
    [{ client_secret: 'x'.repeat(4_001) }, 'client_secret must be text'],
    [{ client_id: 7 }, 'client_id must be text of 1 to 500 characters'],
    [{ company_id: 1.5 }, 'company_id must be a whole number or text'],
    [{ company_id: -1 }, 'company_id must be a whole number or text'],
    [{ company_id: 1e300 }, 'company_id must be a whole number or text'],
    [{ company_id: '' }, 'company_id must be a whole number or text'],
    [{ company_id: true }, 'company_id must be a whole number or text'],
    [{ currency: 'usd' }, 'currency must be an ISO 4217 code'],
    [{ currency: null }, 'currency must be an ISO 4217 code'],
    [{ projects: [] }, 'projects must be a list of 1 to 10000 different IDs'],
    [{ projects: [1, '1'] }, 'projects must be a list'],
    [{ projects: [[1]] }, 'projects must be a list'],
    [{ projects: '1' }, 'projects must be a list'],
    [{ projects: { 0: 1 } }, 'projects must be a list'],
    [{ clientSecret: SECRET }, '"clientSecret" is no member that is known'],
    [{ journal: 'CASH' }, '"journal" is no member that is known'],
    [{ toString: 'x' }, '"toString" is no member that is known'],
  ])('is named without its value: %j', (over, expected) => {
    const message = refusal('platform_a', JSON.stringify({ ...a, ...over }));
    expect(message).toContain(`Invalid input: ${expected}`);
    expect(message).not.toContain(SECRET);
    expect(message).not.toContain(';');
  });

  it('is named together, with what is missing', () => {
    expect(refusal('platform_a', JSON.stringify({ api_url: 'x', secret: SECRET }))).toBe(
      'ApiError: Invalid input: "secret" is no member that is known; login_url is missing; ' +
        'api_url must be an https address, without user, query or fragment (http only to a loopback address); ' +
        'company_id is missing; client_id is missing; client_secret is missing',
    );
  });

  it('is a prototype', () => {
    const text = `{"__proto__":{"client_secret":"${SECRET}"},${JSON.stringify({ ...a, client_secret: undefined }).slice(1)}`;
    const message = refusal('platform_a', text);
    expect(message).toMatch(/"__proto__" is no member that is known; client_secret is missing$/);
  });

  it.each(['', SECRET, `{"client_secret":"${SECRET}"`, `{"client_secret":"${SECRET}",}`, '[1,2'])(
    'is no JSON, and is not quoted: %s',
    (text) => {
      expect(refusal('platform_a', text)).toBe('ApiError: Invalid input: the credentials are not JSON');
    },
  );

  it.each(['null', '[]', '7', `"${SECRET}"`, '12345678901234567890'])('is no object: %s', (text) => {
    expect(refusal('platform_b', text)).toMatch(
      /^ApiError: Invalid input: expected a JSON object with token_url, api_url, company_id, [a-z_, ]+, client_secret$/,
    );
  });

  it('costs no more than it is long', () => {
    const deep = `${'['.repeat(20_000)}12345678901234567890${']'.repeat(20_000)}`;
    const text = `{"currency":${deep},${JSON.stringify(a).slice(1)}`;
    expect(refusal('platform_a', text)).toMatch(/not JSON|currency must be an ISO 4217 code/);
    const many = JSON.stringify(
      Object.fromEntries(Array.from({ length: 1_000 }, (_, index) => [`m${index}`, index])),
    );
    expect(refusal('platform_a', many).length).toBeLessThan(2_000);
  });
});

describe('a shape', () => {
  it('says by its two classes what is secret', () => {
    const { settings, secrets } = credentialsIn(platformACredentials, a);
    expect(JSON.stringify(settings)).not.toContain(SECRET);
    expect(JSON.stringify(secrets)).not.toContain(SECRET);
  });
});
