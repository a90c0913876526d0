import { ReconciliationService } from '../../../src/reconciliation/reconciliation.service';
import type { Finding } from '../../../src/reconciliation/findings';
import { UnitOfWork } from '../../../src/database/unit-of-work';
import { api } from '../../support/api';
import { startApp, type RunningApp } from '../../support/app';
import { decide, withdraw } from '../../support/deciding';
import { GivenRecords, record } from '../../support/given-records';
import { Test } from '@nestjs/testing';
import { DataSource } from 'typeorm';

const guid = (last: number) => `0d4b7c3e-7b6e-ee11-8df1-${String(last).padStart(12, '0')}`;

describe('what reconciling leaves for people to decide', () => {
  const sources = new GivenRecords();
  let app: RunningApp;
  let reconciliation: ReconciliationService;

  beforeAll(async () => {
    app = await startApp({}, [], sources);
    const module = await Test.createTestingModule({
      providers: [
        ReconciliationService,
        { provide: UnitOfWork, useValue: app.app.get(UnitOfWork, { strict: false }) },
      ],
    }).compile();
    reconciliation = module.get(ReconciliationService);
  });
  afterAll(() => app.close());

  const findingsOf = async (customerId: string): Promise<readonly Finding[]> => {
    const findings: Finding[] = [];
    for await (const page of reconciliation.list(customerId)) findings.push(...page);
    return findings;
  };

  it('finds a disagreement that only one platform knows of, and none in amounts that are equal at the rate', async () => {
    const { key, customerId } = await app.openSession();
    const client = api(app.url, key);
    await client.post('/connect', { platform: 'platform_b' });
    // Changed while the other platform is not connected, so the change does not reach it.
    const changed = await client.post('/propagate', {
      format: 'platform',
      platform: 'platform_b',
      platform_id: 'a34e74db-53c7-4368-8fe7-bb87c83c7902',
      entity_type: 'payment',
      data: { comment: 'Second thoughts' },
    });
    expect(changed.status).toBe(200);
    await client.post('/connect', { platform: 'platform_a' });

    const findings = await findingsOf(customerId);
    const about = findings.filter(
      ({ platform_id }) => platform_id === 'a34e74db-53c7-4368-8fe7-bb87c83c7902',
    );
    expect(about).toEqual([
      {
        kind: 'disagreement',
        entity_type: 'payment',
        canonical_id: changed.body.data.canonical.id,
        platform: 'platform_b',
        platform_id: 'a34e74db-53c7-4368-8fe7-bb87c83c7902',
        field: 'notes',
        detail: 'platform_a says "Substructure progress payment #1", platform_b says "Second thoughts"',
      },
    ]);
    expect(findings.filter(({ field }) => field === 'amount')).toEqual([]);
    expect(findings.filter(({ kind }) => kind === 'unreadable')).toEqual([]);
  });

  it('finds no ambiguity between records that a person has ruled out', async () => {
    const { key, customerId } = await app.openSession();
    sources.give(customerId, 'platform_a', [
      record('payment', { id: 1, amount: '10.00', check_number: 'CHK-1' }),
    ]);
    sources.give(customerId, 'platform_b', [
      record('payment', { id: guid(1), amount: -10, currencyCode: 'USD', externalDocumentNumber: 'CHK-1' }),
    ]);
    const client = api(app.url, key);
    for (const platform of ['platform_a', 'platform_b']) await client.post('/connect', { platform });
    const answer = await decide(client, 'not_same', 'payment', ['platform_a 1', `platform_b ${guid(1)}`]);
    expect(answer.status).toBe(200);
    expect(await findingsOf(customerId)).toEqual([]);
    await withdraw(client, answer.body.data.id);
    expect((await findingsOf(customerId)).filter(({ kind }) => kind === 'ambiguous')).toEqual([]);
  });

  it('finds records with ambiguous keys, and fields that do not fit', async () => {
    const { key, customerId } = await app.openSession();
    sources.give(customerId, 'platform_a', [
      record('payment', { id: 1, amount: '10.00', check_number: 'CHK-1' }),
      record('payment', { id: 2, amount: '20.00', check_number: 'chk-1' }),
      record('payment', { id: 3, amount: '1e3', check_number: 'CHK-3' }),
    ]);
    sources.give(customerId, 'platform_b', [
      record('payment', { id: guid(1), amount: -10, currencyCode: 'USD', externalDocumentNumber: 'CHK-1' }),
      record('payment', { id: guid(3), amount: -30, currencyCode: 'USD', externalDocumentNumber: 'CHK-3' }),
    ]);
    const client = api(app.url, key);
    for (const platform of ['platform_a', 'platform_b']) await client.post('/connect', { platform });

    const findings = await findingsOf(customerId);
    const found = findings.map(({ kind, platform, platform_id: id, field, detail }) => [
      kind,
      platform,
      id,
      field,
      detail,
    ]);
    expect(found).toEqual([
      ['unreadable', 'platform_a', '3', 'amount', expect.stringContaining('1e3')],
      ['ambiguous', 'platform_a', '1', 'check_number', `"CHK-1" also stands on platform_b ${guid(1)}`],
      ['ambiguous', 'platform_a', '2', 'check_number', `"chk-1" also stands on platform_b ${guid(1)}`],
      [
        'ambiguous',
        'platform_b',
        guid(1),
        'check_number',
        '"CHK-1" also stands on platform_a 1, platform_a 2',
      ],
    ]);
    const objects = findings.filter(({ kind }) => kind === 'ambiguous').map(({ canonical_id: id }) => id);
    expect(new Set(objects).size).toBe(3);
  });

  it('gives findings in pages, so that nothing holds all of them', async () => {
    const { key, customerId } = await app.openSession();
    const payments = Array.from({ length: 450 }, (_, index) =>
      record('payment', { id: index + 1, amount: '1e3', check_number: 'CHK-1' }),
    );
    sources.give(customerId, 'platform_a', payments);
    sources.give(customerId, 'platform_b', [
      record('payment', { id: guid(1), externalDocumentNumber: 'CHK-1' }),
    ]);
    const client = api(app.url, key);
    for (const platform of ['platform_a', 'platform_b']) await client.post('/connect', { platform });

    const sizes: number[] = [];
    const seen = new Map<string, number>();
    let longest = 0;
    for await (const page of reconciliation.list(customerId)) {
      sizes.push(page.length);
      for (const { kind, detail } of page) {
        seen.set(kind, (seen.get(kind) ?? 0) + 1);
        longest = Math.max(longest, detail.length);
      }
    }
    expect(Object.fromEntries(seen)).toEqual({ unreadable: 450, ambiguous: 451 });
    expect(Math.max(...sizes)).toBe(200);
    // The one record of platform_b names the first of its 450 namesakes only.
    expect(longest).toBeLessThan(500);
  });

  it('reads while others hold what they like, a page at a time', async () => {
    const { key, customerId } = await app.openSession();
    await api(app.url, key).post('/connect', { platform: 'platform_a' });
    const run = jest.spyOn(app.app.get(UnitOfWork, { strict: false }), 'run');
    const pages = reconciliation.list(customerId);
    await pages.next();
    const first = await pages.next();
    // Nor is it a request, which would have to end in time.
    const patience = run.mock.calls.map(([, options]) => options?.patience);
    expect(new Set(patience)).toEqual(new Set(['bulk']));
    run.mockRestore();
    expect(first.done).toBe(false);
    // Between two pages no transaction is open.
    const open = await app.app
      .get(DataSource, { strict: false })
      .query<unknown[]>(
        `select 1 from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid() and xact_start is not null`,
      );
    expect(open).toEqual([]);
    await pages.return();
  });
});
