import type { CaseResponse } from '../../../src/reconciliation/cases/case-by-kind.response';
import type { CaseDetail } from '../../../src/reconciliation/cases/showing/case-detail';
import { CasesService } from '../../../src/reconciliation/cases/cases.service';
import { api } from '../../support/app/api';
import { startApp, type RunningApp } from '../../support/app/app';
import { decide, withdraw } from '../../support/customers/deciding';
import { GivenRecords, record } from '../../support/platforms/given-records';
import { guid } from '../../support/records/guid';

describe('what reconciling leaves for people to decide', () => {
  const sources = new GivenRecords();
  let app: RunningApp;
  let reconciliation: CasesService;

  beforeAll(async () => {
    app = await startApp({}, [], sources);
    reconciliation = app.app.get(CasesService, { strict: false });
  });
  afterAll(() => app.close());

  const findingsOf = async (customerId: string): Promise<readonly (CaseResponse & CaseDetail)[]> => {
    const findings: (CaseResponse & CaseDetail)[] = [];
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
    const id = 'a34e74db-53c7-4368-8fe7-bb87c83c7902';
    const about = findings.filter(({ records }) => records.some(({ platform_id }) => platform_id === id));
    expect(about).toEqual([
      expect.objectContaining({
        kind: 'disagreement',
        entity_type: 'payment',
        canonical_id: changed.body.data.canonical.id,
        field: 'notes',
        stands: 'platform_a',
      }),
    ]);
    expect(about[0]?.values).toMatchObject({
      platform_a: { canonical: 'Substructure progress payment #1' },
      platform_b: { canonical: 'Second thoughts' },
    });
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
    expect((await findingsOf(customerId)).map(({ kind }) => kind)).toEqual(['only_on', 'only_on']);
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
    const found = findings.map(({ kind, platform, field, number, candidates }) =>
      [kind, platform, field, number, candidates?.map(({ platform_id }) => platform_id).join(' ')].join(
        ' | ',
      ),
    );
    expect(found.toSorted()).toEqual([
      'ambiguous | platform_a |  | CHK-1 | ' + guid(1),
      'ambiguous | platform_a |  | chk-1 | ' + guid(1),
      'ambiguous | platform_b |  | CHK-1 | 1 2',
      // The field of the record, and what the pair lacks with it.
      'unreadable | platform_a | amount |  | ',
      'unreadable | platform_a | amount |  | ',
    ]);
    expect(findings.find(({ kind, records }) => kind === 'unreadable' && records.length === 2)).toMatchObject(
      {
        problem: 'platform_a has no amount that can be read, the other platform has one',
        difference: { amount: 3000, currency: 'USD' },
      },
    );
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
    let most = 0;
    for await (const page of reconciliation.list(customerId)) {
      sizes.push(page.length);
      for (const { kind, candidates } of page) {
        seen.set(kind, (seen.get(kind) ?? 0) + 1);
        most = Math.max(most, candidates?.length ?? 0);
      }
    }
    expect(Object.fromEntries(seen)).toEqual({ unreadable: 450, ambiguous: 451 });
    expect(Math.max(...sizes)).toBe(500);
    // The one record of platform_b names the first of its 450 namesakes only.
    expect(most).toBe(20);

    const pair = ['platform_a 1', `platform_b ${guid(1)}`] as const;
    expect((await decide(client, 'not_same', 'payment', pair)).status).toBe(200);
    const others = (await findingsOf(customerId)).find(
      ({ platform }) => platform === 'platform_b',
    )?.candidates;
    expect(others?.map(({ platform_id: id }) => Number(id))).toEqual(
      Array.from({ length: 20 }, (_, i) => i + 2),
    );
  });
});
