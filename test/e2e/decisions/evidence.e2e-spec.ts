import { UnitOfWork } from '../../../src/database/transaction/unit-of-work';
import type { LinkEvidence } from '../../../src/matching/evidence/evidence';
import { evidenceOf } from '../../../src/matching/evidence/evidence-of';
import { api } from '../../support/app/api';
import { startApp, type RunningApp } from '../../support/app/app';
import { decide, withdraw } from '../../support/customers/deciding';
import { GivenRecords, record } from '../../support/platforms/given-records';
import { connect, listed } from '../../support/customers/listings';
import { StoredRecords } from '../../support/database/stored-records';

jest.setTimeout(60_000);

const [a, b] = ['platform_a', 'platform_b'] as const;
const onA = (id: number, check: string) => record('payment', { id, amount: '10.00', check_number: check });
const onB = (id: string, check: string) =>
  record('payment', { id, amount: -10, externalDocumentNumber: check });

describe('why records are one', () => {
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

  const open = async () => {
    const { key, customerId } = await service.openSession();
    return { client: api(service.url, key), customerId };
  };
  const evidence = (customerId: string, id: string, asOf?: string): Promise<readonly LinkEvidence[]> =>
    service.app
      .get(UnitOfWork, { strict: false })
      .run((store) => evidenceOf(store.forCustomer(customerId), id, asOf), { readOnly: true, customerId });
  const now = async () =>
    (await stored.query<{ at: string }>('select clock_timestamp()::text as at'))[0]?.at ?? '';

  it('is a key that occurs once on each platform, found by a run', async () => {
    const { client, customerId } = await open();
    sources.give(customerId, a, [onA(1, ' chk-1 '), onA(2, 'CHK-2')]);
    sources.give(customerId, b, [onB('b1', 'CHK-1')]);
    await connect(client, a);
    const between = await now();
    await connect(client, b);
    const id = (await listed(client, a, 'payment', '1')).canonical_id;
    expect(await evidence(customerId, id)).toEqual([
      {
        records: [
          { platform: a, platform_id: '1' },
          { platform: b, platform_id: 'b1' },
        ],
        rule: 'unique_key',
        rule_version: 1,
        keys: [
          { platform: a, normalised: 'chk-1', written: ' chk-1 ' },
          { platform: b, normalised: 'chk-1', written: 'CHK-1' },
        ],
        parents: [],
        candidates: [],
        more_candidates: 0,
        linked_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
        by: { run_id: expect.any(String) },
      },
    ]);
    expect(await evidence(customerId, id, between)).toEqual([]);
    expect(await evidence(customerId, (await listed(client, a, 'payment', '2')).canonical_id)).toEqual([]);
    expect(await evidence(customerId, 'pay_nothing')).toEqual([]);
    // What the records say later changes nothing of what was found.
    sources.give(customerId, b, [onB('b1', 'CHK-2')]);
    await connect(client, b);
    expect((await evidence(customerId, id))[0]).toMatchObject({
      rule: 'unique_key',
      keys: [{ written: ' chk-1 ' }, { written: 'CHK-1' }],
    });
    // What was read before changes were kept says no more than its keys.
    await stored.query('delete from record_versions where customer_id = $1', [customerId]);
    await stored.query('update platform_records set changed_by = null where customer_id = $1', [customerId]);
    expect((await evidence(customerId, id))[0]).toMatchObject({ rule: null, by: null, linked_at: null });
  });

  it('is a key under one parent; the rejected candidates are named', async () => {
    const { client, customerId } = await open();
    const contract = (id: number, project?: number) =>
      record(
        'contract',
        { id, number: 'SC-1', ...(project !== undefined && { project: { id: project } }) },
        'WorkOrderContract',
      );
    sources.give(customerId, a, [
      record('project', { id: 1, project_number: 'P1' }),
      record('project', { id: 2, project_number: 'P2' }),
      contract(11, 1),
      contract(12, 2),
      ...Array.from({ length: 30 }, (_, place) => contract(100 + place)),
    ]);
    sources.give(customerId, b, [
      record('project', { id: 'p1', number: 'P1' }),
      record('contract', { id: 'o1', externalDocumentNumber: 'sc-1', shortcutDimension1Code: 'P1' }),
    ]);
    for (const platform of [b, a]) await connect(client, platform);
    const { canonical_id: id, data } = await listed(client, b, 'contract', 'o1');
    const apart = (await listed(client, a, 'contract', '12')).canonical_id;
    const [link, ...more] = await evidence(customerId, id);
    expect(more).toEqual([]);
    expect(link).toMatchObject({
      rule: 'key_in_parent',
      rule_version: 1,
      parents: [data.project_id],
      more_candidates: 11,
    });
    expect(link?.candidates).toHaveLength(20);
    expect(link?.candidates.slice(0, 2)).toEqual([
      { platform: a, platform_id: '12', canonical_id: apart, why: 'other_parent' },
      { platform: a, platform_id: '100', canonical_id: expect.any(String), why: 'no_parent' },
    ]);
  });

  it('is a decision; a record that a decision rejected is ruled out', async () => {
    const { client, customerId } = await open();
    sources.give(customerId, a, [onA(1, 'CHK-1')]);
    sources.give(customerId, b, [onB('b1', 'CHK-1'), onB('b2', 'X')]);
    for (const platform of [a, b]) await connect(client, platform);
    await decide(client, 'not_same', 'payment', ['platform_a 1', 'platform_b b1']);
    const link = (await decide(client, 'link', 'payment', ['platform_a 1', 'platform_b b2'])).body.data;
    const id = link.records[0].canonical_id;
    expect(await evidence(customerId, id)).toMatchObject([
      {
        records: [{ platform_id: '1' }, { platform_id: 'b2' }],
        rule: 'decision',
        rule_version: null,
        keys: [{ written: 'CHK-1' }, { written: 'X' }],
        candidates: [{ platform: b, platform_id: 'b1', why: 'ruled_out' }],
        by: { decision_id: link.id, decided_by: 'Kim', reason: 'Seen on paper' },
        linked_at: expect.any(String),
      },
    ]);
    const parted = await decide(client, 'link', 'payment', ['platform_a 1', 'platform_b b1']);
    expect(parted.status).toBe(409);
  });

  it('stays what a run found, whatever a person decides about the same records later', async () => {
    const { client, customerId } = await open();
    sources.give(customerId, a, [onA(1, 'CHK-1')]);
    sources.give(customerId, b, [onB('b1', 'CHK-1')]);
    for (const platform of [a, b]) await connect(client, platform);
    const { canonical_id: id } = await listed(client, a, 'payment', '1');
    const found = await evidence(customerId, id);
    expect(found).toMatchObject([{ rule: 'unique_key', by: { run_id: expect.any(String) } }]);
    await decide(client, 'link', 'payment', ['platform_a 1', 'platform_b b1']);
    expect(await evidence(customerId, id)).toEqual(found);
  });

  it('is the withdrawal of the decision that had kept the records apart', async () => {
    const { client, customerId } = await open();
    sources.give(customerId, a, [onA(1, 'CHK-1')]);
    sources.give(customerId, b, [onB('b1', 'CHK-1')]);
    for (const platform of [a, b]) await connect(client, platform);
    const apart = await decide(client, 'not_same', 'payment', ['platform_a 1', 'platform_b b1']);
    await withdraw(client, apart.body.data.id);
    const { canonical_id: id } = await listed(client, a, 'payment', '1');
    expect(await evidence(customerId, id)).toMatchObject([
      {
        rule: 'unique_key',
        rule_version: 1,
        by: { decision_id: apart.body.data.id, decided_by: 'Lee', reason: 'A mistake' },
      },
    ]);
  });

  it('is the rule from the withdrawal of the decision that had made the link, where the rule holds it on', async () => {
    const { client, customerId } = await open();
    sources.give(customerId, a, [onA(1, 'CHK-1')]);
    sources.give(customerId, b, [onB('b1', 'X-1')]);
    for (const platform of [a, b]) await connect(client, platform);
    const made = await decide(client, 'link', 'payment', ['platform_a 1', 'platform_b b1']);
    const { id: decision } = made.body.data;
    sources.give(customerId, b, [onB('b1', 'CHK-1')]);
    await connect(client, b);
    const id = (await listed(client, a, 'payment', '1')).canonical_id;
    const between = await now();
    const byKim = { rule: 'decision', by: { decision_id: decision, decided_by: 'Kim' } };
    expect(await evidence(customerId, id)).toMatchObject([byKim]);
    await withdraw(client, decision);
    expect(await evidence(customerId, id)).toMatchObject([
      {
        rule: 'unique_key',
        rule_version: 1,
        keys: [{ written: 'CHK-1' }, { written: 'CHK-1' }],
        by: { decision_id: decision, decided_by: 'Lee', reason: 'A mistake' },
      },
    ]);
    const [{ linked_at: linkedAt } = { linked_at: '' }] = await evidence(customerId, id);
    const [withdrawn] = (await client.get('/reconciliation/decisions')).body.data;
    expect(linkedAt).toBe(withdrawn.withdrawn.at);
    expect(await evidence(customerId, id, between)).toMatchObject([byKim]);
  });

  it('is a change of ours, where that created the record', async () => {
    const { client, customerId } = await open();
    for (const platform of [a, b]) await connect(client, platform);
    const created = await stored.query<{ canonical_id: string }>(
      `select canonical_id from platform_records where customer_id = $1 and entity_type = 'customer'
       group by canonical_id having count(*) = 1`,
      [customerId],
    );
    let links: readonly LinkEvidence[] = [];
    for (const { canonical_id: id } of created) {
      const change = await client.post('/propagate', {
        format: 'canonical',
        entity_type: 'customer',
        canonical_id: id,
        data: { name: 'Made on both' },
      });
      if (change.status !== 200) continue;
      links = await evidence(customerId, id);
      if (links.length === 0) continue;
      expect(links).toMatchObject([
        {
          rule: 'created',
          rule_version: null,
          by: { propagation_id: change.body.data.propagation_id, request_id: expect.stringMatching(/^req_/) },
        },
      ]);
      break;
    }
    expect(links).toHaveLength(1);
  });
});
