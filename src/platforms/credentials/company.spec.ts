import type { JsonObject } from '@app/mapper';
import { companyIn } from './company';

const GUID = '6C5E0F1A-9d2b-4c7e-8f30-2b1d4a6c8e90';

describe('companyIn()', () => {
  it('names the company and where it is', () => {
    expect(companyIn({ company_id: '4711', api_url: 'https://api.example', client_id: 'x' })).toBe(
      'company 4711 at https://api.example',
    );
  });

  it.each([
    ['host and scheme', 'https://api.example', 'HTTPS://API.Example:443/'],
    [
      'path',
      'https://api.example/Tenant/Production/api/v2.0',
      'https://api.example/tenant/production/api/v2.0/',
    ],
  ])('is the same for another spelling of the %s', (_what, one, other) => {
    expect(companyIn({ company_id: '1', api_url: other })).toBe(companyIn({ company_id: '1', api_url: one }));
  });

  it('is the same for another spelling of a GUID, not of a name', () => {
    const of = (id: string) => companyIn({ company_id: id, api_url: 'https://api.example' });
    expect(of(GUID)).toBe(of(GUID.toLowerCase()));
    expect(of('CRONUS')).not.toBe(of('Cronus'));
  });

  it.each([
    [
      'host',
      { company_id: '1', api_url: 'https://api.example' },
      { company_id: '1', api_url: 'https://b.example' },
    ],
    [
      'environment',
      { company_id: '1', api_url: 'https://a.example/p' },
      { company_id: '1', api_url: 'https://a.example/s' },
    ],
    [
      'company',
      { company_id: '1', api_url: 'https://a.example' },
      { company_id: '2', api_url: 'https://a.example' },
    ],
  ])('differs by %s', (_what, one, other) => {
    expect(companyIn(one)).not.toBe(companyIn(other));
  });

  it.each<JsonObject>([
    {},
    { company_id: '1' },
    { api_url: 'https://a.example' },
    { company_id: 1, api_url: 'https://a.example' },
  ])('names none in %j', (settings) => {
    expect(companyIn(settings)).toBeNull();
  });
});
