import { readPath } from '../live/forwarding/request-path';
import type { PlatformBSettings } from './credentials';
import { platformBForwarding } from './forwarding';

const settings: PlatformBSettings = {
  token_url: 'https://login.example/token',
  api_url: 'https://erp.example/v2.0/t/e/api/v2.0',
  company_id: "Acme's",
  client_id: 'id',
};

function problems(path: string, query: readonly (readonly [string, string])[] = []): readonly string[] {
  const read = readPath(path);
  if ('problem' in read) throw new Error(read.problem);
  return platformBForwarding.problems(settings, { ...read, query, body: undefined });
}

describe('requests of callers to platform_b', () => {
  it('stand below the company', () => {
    expect(platformBForwarding.base(settings)).toBe(
      "https://erp.example/v2.0/t/e/api/v2.0/companies(name='Acme''s')",
    );
  });

  it.each([
    ['/customers', [['$filter', "displayName eq 'A'"]]],
    ['/customers/$count', []],
    ['/salesInvoices(1a2b)/pdfDocument/pdfDocumentContent', []],
    ['/salesInvoices(1a2b)/Microsoft.NAV.post', []],
  ] as const)('may address %s', (path, query) => {
    expect(problems(path, query)).toEqual([]);
  });

  it.each([
    ['/$batch', []],
    ['/%24batch', []],
    ['/$metadata', []],
    ['/companies(1)/customers', []],
    ['/Companies', []],
    ['/subscriptions', []],
    ["/subscriptions('x')", []],
    ['/customers', [['company', 'Other']]],
    ['/customers', [['Tenant', 'other']]],
  ] as const)('may not address %s with %j', (path, query) => {
    expect(problems(path, query)).not.toEqual([]);
  });
});
