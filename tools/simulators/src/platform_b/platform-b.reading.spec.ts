import { SimulatedClock } from '../server';
import { keyOf, askToken, query, START, startedPlatformB, type Started } from './testing/api-client';

describe('reading from the ERP', () => {
  let erp: Started;
  beforeEach(async () => {
    erp = await startedPlatformB();
  });
  afterEach(async () => {
    await erp.close();
    expect(erp.control.defects).toEqual([]);
  });

  describe('who asks', () => {
    const form = (erpNow: Started, changes: Record<string, string>): Record<string, string> => ({
      grant_type: 'client_credentials',
      client_id: erpNow.credentials.client_id,
      client_secret: erpNow.credentials.client_secret,
      scope: erpNow.credentials.scope,
      ...changes,
    });

    it.each([
      [{}, 200, undefined],
      [{ scope: 'https://graph.microsoft.com/.default' }, 400, 'invalid_scope'],
      [{ scope: '' }, 400, 'invalid_request'],
      [{ client_id: 'nobody' }, 401, 'invalid_client'],
      [{ client_secret: 'wrong' }, 401, 'invalid_client'],
      [{ grant_type: 'password' }, 400, 'unsupported_grant_type'],
    ])('answers a request for a token with %j by %i', async (changes, status, error) => {
      const answer = await askToken(erp, form(erp, changes));
      expect([answer.status, answer.body.error]).toEqual([status, error]);
      if (status === 200) expect(answer.body).toMatchObject({ token_type: 'Bearer', expires_in: 3599 });
    });

    it('takes a token until it is over, and none at all', async () => {
      expect((await erp.get('customers')).status).toBe(200);
      erp.control.clock.advance(3_598_000);
      expect((await erp.get('customers')).status).toBe(200);
      erp.control.clock.advance(1_000);
      const late = await erp.get('customers');
      expect([late.status, late.body.error.code]).toEqual([401, 'Authentication_InvalidCredentials']);
      expect((await fetch(`${erp.apiUrl}/companies`)).status).toBe(401);
    });

    it('ends all tokens when told to', async () => {
      erp.control.edit('expire_tokens');
      expect((await erp.get('customers')).status).toBe(401);
    });
  });

  it('uses the language of the request, English by default', async () => {
    const refusal = async (language?: string): Promise<string> => {
      const headers = language === undefined ? undefined : { 'accept-language': language };
      const { body } = await erp.get('customerPayments', headers);
      expect(body.error.code).toBe('Application_DialogException');
      return String(body.error.message).replace(/ {2}Corr.*/, '');
    };
    const english = await refusal('en-US');
    expect(english).toMatch(/^You must specify/);
    expect(await refusal('en')).toBe(english);
    expect(await refusal()).toBe(english);
    expect(await refusal('de-DE, en;q=0.5')).toMatch(/^Yöü müst spëcïfy/);
  });

  it('describes its pages, with the members of enumerations as they are written', async () => {
    const { status, headers, text } = await erp.get(`${erp.apiUrl}/$metadata`);
    expect([status, headers.get('content-type')]).toEqual([200, 'application/xml']);
    expect(text).toContain('<Property Name="displayName" Type="Edm.String" MaxLength="100"/>');
    expect(text).toContain('<Member Name="In_x0020_Review"');
    expect(text).toContain('<EntitySet Name="salesOrders" EntityType="Microsoft.NAV.salesOrder"/>');
    expect((await erp.send('POST', `${erp.apiUrl}/$metadata`, {})).status).toBe(405);
  });

  it('has company, environment and tenant in the path', async () => {
    const url = (path: string): string => erp.apiUrl.replace('/api/v2.0', path);
    const other = '00000000-1111-4222-8333-444444444444';
    expect((await erp.get(`${erp.apiUrl}/companies(${other})/customers`)).body.error.code).toBe(
      'Internal_CompanyNotFound',
    );
    expect((await erp.get(`${erp.apiUrl}/companies(${other})/customers`)).status).toBe(404);
    const named = `${erp.apiUrl}/companies(name='CRONUS Construction')/projects`;
    expect((await erp.get(named)).body.value).toHaveLength(5);
    expect((await erp.get(`${erp.apiUrl}/companies`)).body.value).toMatchObject([
      { id: erp.credentials.company_id },
    ]);
    expect((await erp.get(`${url('')}/api/v2.0/companies`.replace('Production', 'Sandbox'))).status).toBe(
      404,
    );
    const common = erp.apiUrl.replace(/\/v2\.0\/[^/]+\//, '/v2.0/');
    expect((await erp.get(`${common}/companies`)).status).toBe(200);
  });

  it('walks pages by opaque links, no larger than asked for', async () => {
    const seen: string[] = [];
    const sizes: number[] = [];
    let url = `customers${query({ select: 'id,number', count: 'true' })}`;
    for (;;) {
      const page = await erp.get(url, { prefer: 'odata.maxpagesize=2' });
      expect(page.headers.get('preference-applied')).toBe('odata.maxpagesize=2');
      expect(page.body['@odata.count']).toBe(erp.control.records('customers').length);
      expect(Object.keys(page.body.value[0])).toEqual(['@odata.etag', 'id', 'number']);
      sizes.push(page.body.value.length);
      seen.push(...page.body.value.map(({ id }: { id: string }) => id));
      const next = page.body['@odata.nextLink'];
      if (next === undefined) break;
      expect(next).toMatch(/[?&]\$skiptoken=[\w-]+$/);
      url = next;
    }
    expect(Math.max(...sizes)).toBe(2);
    expect(seen).toEqual([...seen].sort());
    expect(seen).toHaveLength(erp.control.records('customers').length);
  });

  it('refuses pages beyond the largest, and options that there are not', async () => {
    expect((await erp.get('customers', { prefer: 'odata.maxpagesize=20001' })).status).toBe(413);
    expect((await erp.get(`customers${query({ select: 'nothing' })}`)).body.error.code).toBe(
      'BadRequest_NotFound',
    );
    expect((await erp.get(`customers${query({ orderby: 'nothing' })}`)).status).toBe(404);
    expect((await erp.get(`customers${query({ expand: 'nothing' })}`)).status).toBe(404);
    expect((await erp.get('nothing')).body.error.code).toBe('BadRequest_ResourceNotFound');
    const or = await erp.get(`customers${query({ filter: "number eq 'A' or displayName eq 'B'" })}`);
    expect([or.status, or.body.error.message]).toEqual([
      400,
      expect.stringMatching(
        /^The 'OR' operator is not supported .* {2}CorrelationId: {2}[0-9a-f-]{36}\. {2}$/,
      ),
    ]);
  });

  it('finds what has a slash in its number, unless the slash is escaped', async () => {
    const [customer] = erp.control.records('customers');
    const id = keyOf(customer);
    erp.control.edit('update', { table: 'customers', id, fields: { phoneNumber: '12/34' } });
    const plain = "customers?$filter=phoneNumber%20eq%20'12/34'";
    expect((await erp.get(plain)).body.value.map((row: { id: string }) => row.id)).toEqual([id]);
    const escaped = plain.replace('12/34', '12%2F34');
    const refused = await erp.get(escaped);
    expect([refused.status, refused.body.error.code]).toEqual([400, 'Application_FilterErrorException']);
    const batch = await erp.send('POST', `${erp.apiUrl}/$batch`, {
      requests: [{ id: '1', method: 'GET', url: `companies(${erp.credentials.company_id})/${escaped}` }],
    });
    expect(batch.body.responses[0].status).toBe(400);
    erp.control.switches.set('escapedSlashes', 'taken');
    expect((await erp.get(escaped)).body.value).toHaveLength(1);
  });

  it('leads from page to page of a filter with a slash', async () => {
    const filtered = "customers?$filter=displayName%20ne%20'a/b'";
    const first = await erp.get(filtered, { prefer: 'odata.maxpagesize=1' });
    const next = await erp.get(first.body['@odata.nextLink'], { prefer: 'odata.maxpagesize=1' });
    expect([next.status, next.body.value.length]).toEqual([200, 1]);
  });

  it('expands lines and the customer, and counts', async () => {
    const orders = await erp.get(
      `salesOrders${query({
        filter: "number eq 'S-ORD101002'",
        expand: 'salesOrderLines($select=id,sequence),customer',
      })}`,
    );
    const [order] = orders.body.value;
    expect(order.salesOrderLines.map(({ sequence }: { sequence: number }) => sequence)).toEqual([
      10000, 20000, 30000, 40000,
    ]);
    expect(order.customer.number).toBe(order.customerNumber);
    const count = await erp.get(`salesOrders/$count${query({ filter: "status eq 'Open'" })}`);
    expect([count.text, count.headers.get('content-type')]).toEqual(['6', 'text/plain; charset=utf-8']);
    const lines = await erp.get(`salesOrders(${order.id})/salesOrderLines`);
    expect(lines.body.value).toHaveLength(4);
  });

  it('orders by time with overlap at the boundary', async () => {
    const all = await erp.get(`projects${query({ orderby: 'lastModifiedDateTime' })}`);
    const times: string[] = all.body.value.map(
      (row: { lastModifiedDateTime: string }) => row.lastModifiedDateTime,
    );
    expect(times).toHaveLength(5);
    const from = times[2] ?? '';
    const later = await erp.get(`projects${query({ filter: `lastModifiedDateTime ge ${from}` })}`);
    expect(later.body.value).toHaveLength(3);
    const behind = await erp.get(`projects${query({ filter: `lastModifiedDateTime gt ${from}` })}`);
    expect(behind.body.value).toHaveLength(2);
  });

  it('wants a parent for lines, also when there are none', async () => {
    const refused = await erp.get('salesOrderLines');
    expect([refused.status, refused.body.error.message]).toEqual([
      400,
      expect.stringContaining('You must specify an Id or a Document Id to get the lines.'),
    ]);
    const [line] = erp.control.records('salesInvoiceLines');
    const byDocument = `salesInvoiceLines${query({ filter: `documentId eq ${keyOf(line, 'documentId')}` })}`;
    expect((await erp.get(byDocument)).body.value.length).toBeGreaterThan(0);
    const byId = `salesInvoiceLines${query({ filter: `id eq ${keyOf(line)}` })}`;
    expect((await erp.get(byId)).body.value).toHaveLength(1);
    expect((await erp.get(`salesInvoiceLines(${keyOf(line)})`)).body.documentId).toBe(line?.documentId);
  });

  it('distributes the discount of a draft at its first reading, and leaves it alone at the second', async () => {
    const [customer] = erp.control.records('customers');
    const created = await erp.send('POST', 'salesOrders', {
      customerId: customer?.id ?? '',
      discountAmount: 10,
      salesOrderLines: [{ lineType: 'Account', lineObjectNumber: '40100', quantity: 1, unitPrice: 100 }],
    });
    expect(created.body.totalAmountExcludingTax).toBe(100);
    const first = await erp.get(`salesOrders(${created.body.id})`);
    expect(first.body.totalAmountExcludingTax).toBe(90);
    expect(first.body['@odata.etag']).not.toBe(created.body['@odata.etag']);
    const second = await erp.get(`salesOrders(${created.body.id})`);
    expect(second.body['@odata.etag']).toBe(first.body['@odata.etag']);
    expect(erp.control.effects.filter(({ by }) => by === 'reading').map(({ table }) => table)).toEqual([
      'salesOrderLines',
      'salesOrders',
    ]);
  });

  it('keeps the etag at a reading when the switch says so', async () => {
    erp.control.switches.set('recalculatesOnRead', false);
    const [customer] = erp.control.records('customers');
    const created = await erp.send('POST', 'salesOrders', { customerId: customer?.id ?? '' });
    const read = await erp.get(`salesOrders(${created.body.id})`);
    expect(read.body['@odata.etag']).toBe(created.body['@odata.etag']);
  });

  it('reads a replica that lags when asked for one, and never writes to it', async () => {
    const [project] = erp.control.records('projects');
    const path = `projects(${keyOf(project)})`;
    const stale = { 'data-access-intent': 'ReadOnly' };
    erp.control.clock.advance(60_000);
    await erp.send('PATCH', path, { displayName: 'New name' }, { 'if-match': '*' });
    expect((await erp.get(path)).body.displayName).toBe('New name');
    expect((await erp.get(path, stale)).body.displayName).toBe(project?.displayName);
    const listed = await erp.get(`projects${query({ filter: "displayName eq 'New name'" })}`, stale);
    expect(listed.body.value).toEqual([]);
    erp.control.clock.advance(30_000);
    expect((await erp.get(path, stale)).body.displayName).toBe('New name');
    const refused = await erp.send('PATCH', path, { displayName: 'X' }, { ...stale, 'if-match': '*' });
    expect([refused.status, refused.body.error.code]).toEqual([400, 'BadRequest_InvalidOperation']);
  });

  it('shows every writing late where it is told so, and checks versions against what there is', async () => {
    const [project] = erp.control.records('projects');
    const path = `projects(${keyOf(project)})`;
    erp.control.clock.advance(60_000);
    const { body: before } = await erp.get(path);
    erp.control.switches.set('readLagMs', 1_000);
    const version = { 'if-match': before['@odata.etag'] as string };
    const written = await erp.send('PATCH', path, { displayName: 'New name' }, version);
    expect([written.status, written.body.displayName]).toEqual([200, 'New name']);
    expect((await erp.get(path)).body).toEqual(before);
    expect((await erp.send('PATCH', path, { displayName: 'Newer' }, version)).status).toBe(409);
    erp.control.clock.advance(1_000);
    expect((await erp.get(path)).body.displayName).toBe('New name');
  });

  it('shows all rows of a table at the control port, and changes nothing', () => {
    const before = erp.control.effects.length;
    expect(erp.control.edit('read_records', { table: 'customers' })).toEqual(
      erp.control.records('customers'),
    );
    expect(() => erp.control.edit('read_records', { table: 'nothing' })).toThrow('"table" is one of');
    expect(erp.control.effects).toHaveLength(before);
  });

  it('repeats a page when told to', async () => {
    erp.control.edit('repeat_next_page');
    const small = { prefer: 'maxpagesize=2' };
    const first = await erp.get('customers', small);
    const again = await erp.get(first.body['@odata.nextLink'], small);
    expect(again.body.value).toEqual(first.body.value);
    const second = await erp.get(again.body['@odata.nextLink'], small);
    expect(second.body.value).not.toEqual(first.body.value);
  });

  it('shows journals of the general template, and others by their template or their id', async () => {
    const listed = await erp.get('journals');
    expect(listed.body.value.map(({ code }: { code: string }) => code)).toEqual(['DEFAULT']);
    const receipts = await erp.get(`journals${query({ filter: "templateDisplayName eq 'CASHRCPT'" })}`);
    expect(receipts.body.value.map(({ code }: { code: string }) => code)).toEqual(['GENERAL']);
    expect((await erp.get(`journals(${receipts.body.value[0].id})`)).status).toBe(200);
  });

  it('says in headers which request it was', async () => {
    const answer = await erp.get('projects');
    expect(answer.headers.get('request-id')).toMatch(/^[0-9a-f-]{36}$/);
    const refused = await erp.get('nothing');
    expect(refused.body.error.message).toContain(refused.headers.get('ms-correlation-x') ?? 'no header');
  });

  it('prints defaults in the place of null, members encoded and times without zeros at the end', async () => {
    const created = await erp.send('POST', 'customers', { displayName: 'Plain' });
    expect(created.body).toMatchObject({
      blocked: '_x0020_',
      taxAreaId: '00000000-0000-0000-0000-000000000000',
      currencyId: '00000000-0000-0000-0000-000000000000',
      currencyCode: 'QAR',
      creditLimit: 0,
      website: '',
      lastModifiedDateTime: START.toISOString().replace('.500Z', '.5Z'),
    });
  });

  it('has the sample of the sandbox, or any other portfolio, and keeps its state in a file', async () => {
    const { mkdtempSync, rmSync } = await import('node:fs');
    const { tmpdir } = await import('node:os');
    const folder = mkdtempSync(`${tmpdir()}/erp-`);
    try {
      const stateFile = `${folder}/state.json`;
      const clock = new SimulatedClock({ factor: 0, start: START });
      const one = await startedPlatformB({ stateFile, clock, portfolio: [] });
      const made = await one.send('POST', 'projects', { number: 'KEPT', displayName: 'Kept' });
      await one.close();
      const other = await startedPlatformB({ stateFile, clock });
      const read = await other.get(`projects(${made.body.id})`);
      expect(read.body).toEqual({ ...made.body, '@odata.context': expect.any(String) });
      expect(other.control.records('projects')).toHaveLength(1);
      expect(other.credentials).toEqual(one.credentials);
      await other.close();
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
