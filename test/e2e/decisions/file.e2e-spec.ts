import { api } from '../../support/app/api';
import { startApp, type RunningApp } from '../../support/app/app';
import { decide, withdraw } from '../../support/customers/deciding';
import { GivenRecords, record } from '../../support/platforms/given-records';
import { connect } from '../../support/customers/listings';
import { StoredRecords } from '../../support/database/stored-records';

describe('decisions as a file', () => {
  const sources = new GivenRecords();
  let service: RunningApp;
  let stored: StoredRecords;
  beforeAll(async () => {
    service = await startApp({ logLevel: 'silent' }, [], sources);
    stored = await StoredRecords.open(service.databaseUrl);
  });
  afterAll(async () => {
    await stored.close();
    await service.close();
  });

  const file = async (key: string, query = '') => {
    const response = await fetch(`${service.url}/api/v1/reconciliation/decisions${query}`, {
      headers: { Authorization: `Bearer ${key}`, Accept: 'text/csv' },
    });
    const bytes = Buffer.from(await response.arrayBuffer());
    return { response, bytes, text: bytes.toString('utf8') };
  };

  it('has a head, and a line for each with both records and why', async () => {
    const { key, customerId } = await service.openSession();
    const client = api(service.url, key);
    sources.give(customerId, 'platform_a', [
      record('payment', { id: 1, amount: '1.00', check_number: 'C-1' }),
    ]);
    sources.give(customerId, 'platform_b', [
      record('payment', { id: '007', amount: -1, externalDocumentNumber: 'C-2' }),
    ]);
    for (const platform of ['platform_a', 'platform_b'] as const) await connect(client, platform);
    const made = await decide(client, 'link', 'payment', ['platform_a 1', 'platform_b 007'], {
      reason: '=1+1, "said" Kim',
    });
    const { id, decided_at: at, records } = made.body.data;
    await withdraw(client, id, { reason: '-2' });
    const [, parted] = (await client.get('/reconciliation/decisions')).body.data[0].records;
    const apart = await decide(client, 'not_same', 'payment', ['platform_a 1', 'platform_b 007']);

    const { response, bytes, text } = await file(key, '?entity_type=payment&limit=1');
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('text/csv; charset=utf-8');
    expect(response.headers.get('content-disposition')).toMatch(
      /^attachment; filename="reconciliation-decisions-\d{4}-\d\d-\d\d\.csv"$/,
    );
    expect([...bytes.subarray(0, 3)]).toEqual([0xef, 0xbb, 0xbf]);
    const [head = '', body = ''] = text.slice(1).split('\r\n\r\n');
    expect(head.split('\r\n')).toEqual([
      'file,reconciliation decisions',
      expect.stringMatching(new RegExp(`^customer,${customerId},.+$`)),
      'filter entity_type,payment',
      expect.stringMatching(/^as of,\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      'decisions,2',
      'decisions,link,withdrawn,1',
      'decisions,not_same,standing,1',
      `request,${response.headers.get('x-request-id')}`,
    ]);
    const [, first = '', second = '', ...more] = body.split('\r\n');
    expect(more).toEqual(['']);
    expect(first).toMatch(new RegExp(`^${apart.body.data.id},standing,not_same,payment,platform_a,1,`));
    expect(first).toMatch(/,Seen on paper,Kim,[^,]+Z,,,$/);
    const [own] = records;
    expect(second).toBe(
      `${id},withdrawn,link,payment,platform_a,1,${own.canonical_id},platform_b,'007,${parted.canonical_id},` +
        `"'=1+1, ""said"" Kim",Kim,${at},${second.split(',').at(-3)},Lee,'-2`,
    );
    expect(second.split(',').at(-3)).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);

    expect((await file(key, '?decision=link')).text).not.toContain(apart.body.data.id);
    expect((await file(key, '?status=withdrawn')).text).toContain('decisions,1\r\n');
    const refused = await file(key, '?status=open');
    expect([refused.response.status, JSON.parse(refused.text).error.type]).toEqual([400, 'VALIDATION_ERROR']);
  });

  it('has every decision once, whatever a page holds', async () => {
    const { key, customerId } = await service.openSession();
    await stored.query(
      `insert into reconciliation_decisions (customer_id, id, decision, entity_type, platform, platform_id, other_platform,
         other_platform_id, reason, decided_by, decided_at)
       select $1, gen_random_uuid(), 'not_same', 'payment', 'platform_a', n::text, 'platform_b', n::text, 'r', 'k',
         now() - n / 7 * interval '1 second'
       from generate_series(1, 1203) n`,
      [customerId],
    );
    const { text } = await file(key);
    const ids = text.match(/^[0-9a-f-]{36},standing,/gm) ?? [];
    expect(new Set(ids).size).toBe(1203);
    expect(ids).toHaveLength(1203);
    expect(text).toContain('decisions,1203\r\n');
    // Nobody else's.
    const other = await service.openSession();
    expect((await file(other.key)).text).toMatch(/decisions,0\r\n/);
  });
});
