import { companyPath } from './addresses';
import type { PlatformBSettings } from './credentials';

const of = (id: string): string => companyPath({ company_id: id } as PlatformBSettings);

describe('companyPath()', () => {
  it('takes an ID as it is', () => {
    expect(of('6c5e0f1a-9d2b-4c7e-8f30-2b1d4a6c8e90')).toBe(
      'companies(6c5e0f1a-9d2b-4c7e-8f30-2b1d4a6c8e90)',
    );
  });

  it.each(['CRONUS', 'A/S #1', "D'Arcy & Söhne 100% (?)", 'a) or (b'])(
    'keeps %s one segment of a path',
    (name) => {
      const { pathname, search, hash } = new URL(`https://host/api/v2.0/${of(name)}/customers`);
      expect({ search, hash }).toEqual({ search: '', hash: '' });
      const segments = pathname.split('/');
      expect(segments).toHaveLength(5);
      expect(decodeURIComponent(segments[3] ?? '')).toBe(`companies(name='${name.replaceAll("'", "''")}')`);
    },
  );
});
