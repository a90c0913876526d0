import { platformAAccess } from '../../platform_a/access';
import { platformBAccess } from '../../platform_b/access';
import { limiterKey } from './limiter-key';

const ofA = (more: object = {}): string => {
  const settings = {
    login_url: 'https://login.example.com',
    api_url: 'https://api.example.com',
    company_id: '4711',
    client_id: 'Abc',
    ...more,
  };
  return limiterKey('platform_a', platformAAccess.countedBy(settings)).credential;
};
const ofB = (more: object = {}): string => {
  const settings = {
    token_url: 'https://login.example.com/token',
    api_url: 'https://erp.example.com/v2.0/tenant/Production/api/v2.0',
    company_id: '6c5e0f1a',
    client_id: 'aa-11',
    ...more,
  };
  return limiterKey('platform_b', platformBAccess.countedBy(settings)).credential;
};

describe('the rate limiter of a credential', () => {
  it('is of an app, a company and a host on platform_a', () => {
    for (const other of [
      { client_id: 'abc' },
      { company_id: '4712' },
      { api_url: 'https://sandbox.example.com' },
    ]) {
      expect(ofA(other)).not.toBe(ofA());
    }
    for (const same of [
      { api_url: 'https://API.example.com:443/' },
      { currency: 'EUR', projects: ['1'] },
      { login_url: 'https://elsewhere.example.com' },
    ]) {
      expect(ofA(same)).toBe(ofA());
    }
  });

  it('is of an application and an environment on platform_b, whatever the company', () => {
    for (const other of [
      { client_id: 'aa-12' },
      { api_url: 'https://erp.example.com/v2.0/tenant/Sandbox/api/v2.0' },
    ]) {
      expect(ofB(other)).not.toBe(ofB());
    }
    for (const same of [
      { company_id: 'another', journal: 'RECEIPTS' },
      { client_id: 'AA-11' },
      { api_url: 'https://erp.example.com/v2.0/TENANT/production/api/v2.0' },
    ]) {
      expect(ofB(same)).toBe(ofB());
    }
  });

  it('shows nothing of the credential', () => {
    expect(ofA()).toMatch(/^[\w-]{43}$/);
  });
});
