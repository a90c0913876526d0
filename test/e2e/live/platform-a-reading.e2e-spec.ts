import { Client } from 'pg';
import { generatedPortfolio, type RunningPlatformA } from '@app/simulators';
import {
  isJsonArray,
  isJsonObject,
  stringifyJson,
  storedEntityTypes,
  valueAt,
  type JsonObject,
  type StoredEntityType,
} from '@app/mapper';
import { idText } from '../../../src/platforms/platform_a/wire/ids';
import { Caller, objectOf } from '../../../tools/simulators/src/testing/caller';
import type { Checkpoint, RecordPage, ReadScope, SourceRecord } from '../../../src/platforms/connector';
import { ExistenceUnknown } from '../../../src/platforms/platform-error';
import { portfolioOf, storedTypes, type Portfolio } from '../../support/customers/portfolio';
import {
  startLiveService,
  startUnlimited,
  type LiveCaller,
  type LiveService,
} from '../../support/live/live-platform-a';
import { never } from '../../support/this-process/never';

jest.setTimeout(60_000);

const LUSAIL = 341276;
const HOUR = 3_600_000;

let service: LiveService;
let database: Client;
let platform: RunningPlatformA;
let caller: LiveCaller;
beforeAll(async () => {
  service = await startLiveService();
  database = new Client({ connectionString: service.databaseUrl });
  await database.connect();
});
afterAll(async () => {
  await database.end();
  await service.close();
});
beforeEach(async () => {
  platform = await startUnlimited();
  caller = await service.openLive(platform);
});
afterEach(async () => {
  await platform.close();
  expect(platform.control.defects).toEqual([]);
});

const digests = async (): Promise<readonly string[]> => {
  const { rows } = await database.query<{ line: string }>(
    `select entity_type || ' ' || platform_id || ' ' || digest as line from platform_records
     where customer_id = $1 and platform = 'platform_a' order by 1`,
    [caller.customerId],
  );
  return rows.map(({ line }) => line);
};

/** The last page of a reading of a scope. */
async function readingOf(
  entityType: StoredEntityType,
  scope: Omit<ReadScope, 'entityType'>,
  from: Checkpoint | null = null,
): Promise<RecordPage> {
  const pages: RecordPage[] = [];
  const reading = service.connector.read(caller.connection, { entityType, ...scope }, from, never);
  for await (const page of reading) pages.push(page);
  return lastOf(pages);
}
const projectIds = () => platform.control.records('projects').map(({ id }) => Number(id));
const permit = (ids: readonly number[] | null) =>
  platform.control.edit('permit_projects', { project_ids: ids });
async function pagesOf(
  entityType: StoredEntityType,
  since?: Checkpoint,
  from: Checkpoint | null = null,
  already?: ReadonlyMap<StoredEntityType, Checkpoint>,
): Promise<readonly RecordPage[]> {
  const pages: RecordPage[] = [];
  const scope = { entityType, ...(since !== undefined && { since }), ...(already && { already }) };
  for await (const page of service.connector.read(caller.connection, scope, from, never)) pages.push(page);
  return pages;
}
/** Reads all types one after another, as a run does. */
async function readAll(since: ReadonlyMap<StoredEntityType, Checkpoint> = new Map()): Promise<{
  readonly cursors: ReadonlyMap<StoredEntityType, Checkpoint>;
  readonly pages: ReadonlyMap<StoredEntityType, readonly RecordPage[]>;
}> {
  const cursors = new Map<StoredEntityType, Checkpoint>();
  const pages = new Map<StoredEntityType, readonly RecordPage[]>();
  for (const entityType of storedEntityTypes) {
    const read = await pagesOf(entityType, since.get(entityType), null, cursors);
    const { cursor } = lastOf(read);
    if (cursor !== undefined) cursors.set(entityType, cursor);
    pages.set(entityType, read);
  }
  return { cursors, pages };
}
const recordsIn = (pages: readonly RecordPage[]) => pages.flatMap(({ records }) => records);
const idsIn = (pages: readonly RecordPage[]): string[] =>
  recordsIn(pages).map(({ payload }) => stringifyJson(payload['id']));
const lastOf = (pages: readonly RecordPage[]): RecordPage => {
  const last = pages.at(-1);
  if (last === undefined) throw new Error('There is no page');
  return last;
};
const read = async (entityType: StoredEntityType, id: number): Promise<JsonObject> => {
  const found = recordsIn(await pagesOf(entityType)).find(({ payload }) => payload['id'] === id);
  if (found === undefined) throw new Error(`No ${entityType} ${id}`);
  return found.payload;
};

describe('a customer with credentials', () => {
  let portfolio: Portfolio;
  beforeEach(() => {
    portfolio = portfolioOf(service.url, caller, database);
  });

  it('connects the platform itself, and its records link with those of the other platform', async () => {
    const { status, body } = await portfolio.client.post('/connect', { platform: 'platform_a' });
    expect({ status, data: body.data }).toEqual({
      status: 200,
      data: {
        platform: 'platform_a',
        mode: 'live',
        status: 'connected',
        entities: { projects: 5, customers: 4, contracts: 13, invoices: 8, payments: 8 },
      },
    });
    await portfolio.connect('platform_b');

    // As with both sandboxes.
    const sandboxed = portfolioOf(service.url, await service.openSession(), database);
    for (const name of ['platform_a', 'platform_b'] as const) await sandboxed.connect(name);
    for (const type of storedTypes) {
      const linked = async (of: Portfolio) =>
        (await of.list('platform_a', type)).map(({ id, data, mappings }) => ({
          id,
          on: mappings.map((mapping) => `${mapping.platform} ${mapping.platform_id}`).sort(),
          amount: data.amount,
          number: data.number,
        }));
      expect(await linked(portfolio)).toEqual(await linked(sandboxed));
    }
  });

  it('finds nothing new when it connects again', async () => {
    await portfolio.connect('platform_a');
    const before = await digests();
    expect(before).toHaveLength(38);
    const rows = await portfolio.stored();
    await portfolio.connect('platform_a');
    expect(await digests()).toEqual(before);
    const unchanged = (lines: readonly string[]) => lines.filter((line) => !line.includes('"connected_at"'));
    expect(unchanged(await portfolio.stored())).toEqual(unchanged(rows));
  });

  it('lists the contracts of a project once in a run', async () => {
    await portfolio.connect('platform_a');
    const projects = platform.control.records('projects').length;
    // Lists of one row are those that estimate the calls.
    const lists = () => platform.control.log.list(/_contracts\?(?!.*per_page=1(&|$))/).length;
    expect(lists()).toBe(2 * projects);
    platform.control.log.clear();
    await portfolio.connect('platform_a');
    expect(lists()).toBe(2 * projects);
  });

  it('sees what change orders make of a contract', async () => {
    await portfolio.connect('platform_a');
    const revised = async () =>
      (await portfolio.find('platform_a', 'contract', '1945782')).data.revised_amount.amount;
    const before = await revised();
    const person = await new Caller(platform).login();
    const path = `/rest/v1.0/projects/${LUSAIL}/commitment_change_orders`;
    const made = await person.call('POST', path, { change_order: { contract_id: 1945782 } });
    const id = stringifyJson(objectOf(made)['id']);
    const line = `${path.replace('v1.0', 'v2.0/companies/77410')}/${id}/line_items`;
    await person.call('POST', line, { wbs_code_id: '44', amount: '1000.25' });
    await person.call('PATCH', `${path}/${id}`, { change_order: { status: 'approved' } });
    await portfolio.connect('platform_a');
    expect(await revised()).toBe(before + 100025);
  });

  it('names the company that a vendor belongs to, and changes it', async () => {
    const [child, parent, other] = platform.control.records('vendors').map(({ id }) => stringifyJson(id));
    const shown = (id: string | undefined) => portfolio.find('platform_a', 'customer', id ?? '');
    const set = (id: string | undefined) =>
      platform.control.edit('change_record', {
        kind: 'vendors',
        id: Number(child),
        set: { parent: id === undefined ? null : { id: Number(id), name: 'As it is called' } },
      });
    // Both come with one reading.
    set(parent);
    await portfolio.connect('platform_a');
    const parentId = (await shown(parent)).data.id;
    const { data } = await shown(child);
    expect(data.parent_id).toBe(parentId);
    expect((await shown(parent)).data.parent_id ?? null).toBeNull();
    // The parent is known already.
    set(other);
    await portfolio.connect('platform_a');
    expect((await shown(child)).data.parent_id).toBe((await shown(other)).data.id);
    const { status, body } = await portfolio.client.post('/propagate', {
      entity_type: 'customer',
      format: 'canonical',
      canonical_id: data.id,
      data: { parent_id: parentId },
    });
    expect({ status, on: body.data.propagated.platform_a.status }).toEqual({ status: 200, on: 'applied' });
    const there = platform.control.records('vendors').find(({ id }) => stringifyJson(id) === child);
    expect(valueAt(there ?? {}, ['parent', 'id'])).toBe(Number(parent));
    expect((await shown(child)).data.parent_id).toBe(parentId);
    set(undefined);
    await portfolio.connect('platform_a');
    expect((await shown(child)).data.parent_id ?? null).toBeNull();
  });

  it('gets a record of a deeper project when it is changed there', async () => {
    await portfolio.connect('platform_a');
    platform.control.edit('change_record', { kind: 'requisitions', id: 10061, set: { status: 'draft' } });
    await portfolio.connect('platform_a');
    expect((await portfolio.find('platform_a', 'invoice', '10061')).data.status).toBe('draft');
  });
});

describe('records', () => {
  it('have the vendor of the company, and its ID in the project beside it', async () => {
    const contract = await read('contract', 1945782);
    const [inProject] = platform.control
      .records('project_vendors')
      .filter((row) => row['vendor_id'] === 501004 && row['project_id'] === LUSAIL);
    expect(inProject?.['id']).not.toBe(501004);
    expect(contract['vendor']).toMatchObject({ id: 501004, project_vendor_id: inProject?.['id'] });
    expect(await read('invoice', 10061)).toMatchObject({
      vendor_id: 501004,
      project_vendor_id: inProject?.['id'],
    });
  });

  it('name the vendor once where the project has no ID of its own for it', async () => {
    const other = await startUnlimited({ switches: { projectVendorIds: 'company' } });
    try {
      caller = await service.openLive(other);
      const { vendor } = await read('contract', 1945782);
      expect(vendor).toMatchObject({ id: 501004 });
      expect(vendor).not.toHaveProperty('project_vendor_id');
      expect(other.control.log.list(/\/projects\/\d+\/vendors/)).toEqual([]);
    } finally {
      await other.close();
    }
  });

  it('find the vendor by its name on the record when the directory may not be read', async () => {
    platform.control.edit('switch_tool', { project_id: LUSAIL, tool: 'directory' });
    expect((await read('contract', 1945782))['vendor']).toMatchObject({ id: 501004 });
  });

  it('have lines and items, whether lists show them or not', async () => {
    const apart = await read('contract', 1945782);
    expect(apart['line_items']).toHaveLength(1);
    platform.control.switches.set('linesInContractLists', true);
    const inList = await read('contract', 1945782);
    expect(inList['line_items']).toEqual(apart['line_items']);
    expect((await read('invoice', 10061))['items']).toHaveLength(1);
    expect((await read('invoice', 10061))['summary']).toMatchObject({ current_payment_due: '2142000.00' });
  });

  it('are the same when one of them is looked at', async () => {
    for (const entityType of storedEntityTypes) {
      for (const { variant, payload } of recordsIn(await pagesOf(entityType))) {
        const ref = { entityType, variant, platformId: stringifyJson(payload['id']) };
        const found = await service.connector.get(caller.connection, ref, never);
        expect(stringifyJson(found?.payload)).toBe(stringifyJson(payload));
      }
    }
  });

  it('are found without knowing where they stand', async () => {
    const ref = { entityType: 'payment', variant: null, platformId: '1823456' } as const;
    const found = await service.connector.get(caller.connection, ref, never);
    expect(found?.payload['id']).toBe(1823456);
    platform.control.log.clear();
    await service.connector.get(caller.connection, { ...ref, known: found?.payload ?? {} }, never);
    expect(platform.control.log.list()).toHaveLength(1);
    expect(
      await service.connector.get(caller.connection, { ...ref, platformId: '7' }, never),
    ).toBeUndefined();
  });

  it('are not said to be gone while a project in which they may stand is not to be read', async () => {
    const ref = { entityType: 'invoice', variant: null, platformId: '7' } as const;
    expect(await service.connector.get(caller.connection, ref, never)).toBeUndefined();
    platform.control.edit('switch_tool', { project_id: LUSAIL, tool: 'invoicing' });
    await expect(service.connector.get(caller.connection, ref, never)).rejects.toThrow(ExistenceUnknown);
  });

  it('of a project that the settings leave out are not found any more, whatever the platform shows', async () => {
    const known = new Map<StoredEntityType, readonly SourceRecord[]>();
    for (const entityType of storedEntityTypes) known.set(entityType, recordsIn(await pagesOf(entityType)));
    const others = projectIds().filter((id) => id !== LUSAIL);
    caller = await service.openLive(platform, { projects: others.map(String) });
    for (const [entityType, records] of known) {
      const listed = new Set(idsIn(await pagesOf(entityType)));
      expect(records.some(({ payload }) => !listed.has(stringifyJson(payload['id'])))).toBe(
        entityType !== 'customer',
      );
      for (const { variant, payload } of records) {
        const platformId = stringifyJson(payload['id']);
        const ref = { entityType, variant, platformId, known: payload };
        const found = await service.connector.get(caller.connection, ref, never);
        expect({ entityType, platformId, isFound: found !== undefined }).toEqual({
          entityType,
          platformId,
          isFound: listed.has(platformId),
        });
      }
    }
  });

  describe.each([
    ['contract', '1945782', 'work_order_contracts', 'commitments'],
    ['invoice', '10061', 'requisitions', 'invoicing'],
    ['payment', '1823456', 'contract_payments', 'commitments'],
  ] as const)('that a list leaves out: a %s', (entityType, platformId, list, tool) => {
    const look = async () => {
      const known = await read(entityType, Number(platformId));
      const variant = entityType === 'contract' ? 'WorkOrderContract' : null;
      return () =>
        service.connector.get(caller.connection, { entityType, variant, platformId, known }, never);
    };
    const leaveOut = () =>
      platform.control.faults.add({ kind: 'status', status: 200, text: '[]', match: { path: `${list}\\?` } });

    it('is there as long as the platform shows it by itself', async () => {
      const found = await look();
      leaveOut();
      expect(idText((await found())?.payload['id'])).toBe(platformId);
    });

    it('is not said to be gone when the platform refuses to show it', async () => {
      const found = await look();
      leaveOut();
      platform.control.faults.add({ kind: 'status', status: 403, match: { path: `${list}/${platformId}` } });
      await expect(found()).rejects.toThrow(ExistenceUnknown);
    });

    it('is not said to be gone when the list may not be read', async () => {
      const found = await look();
      platform.control.edit('switch_tool', { project_id: LUSAIL, tool });
      await expect(found()).rejects.toThrow(ExistenceUnknown);
    });

    it('is gone when the platform answers 404 as well', async () => {
      const found = await look();
      leaveOut();
      const text = '{"code":404,"message":"Not Found"}';
      platform.control.faults.add({
        kind: 'status',
        status: 404,
        text,
        match: { path: `${list}/${platformId}` },
      });
      expect(await found()).toBeUndefined();
    });

    it.each(['', 'Not Found', '<html><body>404</body></html>', '[]'])(
      'is not said to be gone by a 404 that is not the platform’s own: %s',
      async (text) => {
        const found = await look();
        leaveOut();
        platform.control.faults.add({
          kind: 'status',
          status: 404,
          text,
          match: { path: `${list}/${platformId}` },
        });
        await expect(found()).rejects.toThrow(/^platform_a answers nonsense \(404\)$/);
      },
    );
  });

  it('include inactive projects and vendors', async () => {
    platform.control.edit('change_record', { kind: 'vendors', id: 501004, set: { is_active: false } });
    platform.control.edit('change_record', { kind: 'projects', id: LUSAIL, set: { active: false } });
    expect(idsIn(await pagesOf('customer'))).toHaveLength(4);
    expect(idsIn(await pagesOf('project'))).toHaveLength(5);
    const ref = { entityType: 'customer', variant: null, platformId: '501004' } as const;
    expect((await service.connector.get(caller.connection, ref, never))?.payload['is_active']).toBe(false);
  });

  it('have IDs beyond 2^53 as text', async () => {
    platform.control.switches.set('bigIds', true);
    platform.control.edit('insert_record', { kind: 'vendors', like: 501004, set: { name: 'Large' } });
    const large = recordsIn(await pagesOf('customer')).find(({ payload }) => payload['name'] === 'Large');
    expect(large?.payload['id']).toMatch(/^900719925474\d+$/);
    const platformId = idText(large?.payload['id']) ?? '';
    const ref = { entityType: 'customer', variant: null, platformId } as const;
    expect(await service.connector.get(caller.connection, ref, never)).toEqual(large);
  });
});

describe('a reading', () => {
  it.each(storedEntityTypes)('of %s goes on from every checkpoint', async (entityType) => {
    const whole = await pagesOf(entityType);
    expect(lastOf(whole)).toMatchObject({ next: null, complete: true });
    for (const [place, { next }] of whole.entries()) {
      if (next === null) continue;
      // As it comes back from where it is stored.
      const stored = JSON.parse(JSON.stringify(next)) as Checkpoint;
      expect(idsIn(await pagesOf(entityType, undefined, stored))).toEqual(idsIn(whole.slice(place + 1)));
    }
  });

  it('of changes brings what changed since, by the clock of the platform', async () => {
    platform.control.clock.advance(3 * 24 * 3_600_000);
    const cursors = new Map<StoredEntityType, Checkpoint>();
    for (const entityType of storedEntityTypes) {
      const { cursor } = lastOf(await pagesOf(entityType));
      if (cursor !== undefined) cursors.set(entityType, cursor);
    }
    platform.control.clock.advance(3_600_000);
    platform.control.edit('change_record', { kind: 'projects', id: LUSAIL, set: { name: 'Renamed' } });
    platform.control.edit('change_record', { kind: 'vendors', id: 501004, set: { notes: 'New' } });
    platform.control.edit('change_line', { contract_id: 1945782, set: { quantity: '2.0' } });
    platform.control.edit('change_record', { kind: 'requisitions', id: 10061, set: { status: 'draft' } });
    platform.control.edit('change_record', { kind: 'contract_payments', id: 1823456, set: { notes: 'New' } });
    const changed: Record<string, string[]> = {};
    for (const entityType of storedEntityTypes) {
      const pages = await pagesOf(entityType, cursors.get(entityType));
      changed[entityType] = idsIn(pages);
      expect(lastOf(pages)).toMatchObject({ complete: true });
    }
    expect(changed).toMatchObject({
      project: [String(LUSAIL)],
      customer: ['501004'],
      contract: ['1945782'],
      invoice: ['10061'],
    });
    // Of the contract that changed alone.
    const contracts = new Set(
      platform.control.records('contract_payments').map((row) => stringifyJson(row['contract_id'])),
    );
    expect(contracts.size).toBeGreaterThan(1);
    expect(new Set(changed['payment'])).toEqual(
      new Set(
        platform.control
          .records('contract_payments')
          .filter((row) => row['contract_id'] === 1945782)
          .map((row) => stringifyJson(row['id'])),
      ),
    );
  });

  describe('of changes, when an amount of a contract changed and its time of change did not', () => {
    const CONTRACT = 1945782;
    const path = '/rest/v1.0/requisitions';
    const amounts: Readonly<Record<string, (person: Caller) => unknown>> = {
      'the amount of a line': () => {
        platform.control.switches.set('linesTouchContract', false);
        return platform.control.edit('change_line', { contract_id: CONTRACT, set: { amount: '12.50' } });
      },
      'what was invoiced': async (person) => {
        const own = platform.control
          .records('requisitions')
          .filter((row) => row['commitment_id'] === CONTRACT);
        const last = own.at(-1) ?? {};
        const items = last['items'];
        const [item] = isJsonArray(items) ? items.filter(isJsonObject) : [];
        const id = stringifyJson(last['id']);
        const answer = await person.call('PATCH', `${path}/${id}/bulk_item_update?project_id=${LUSAIL}`, {
          requisition_items: [
            { id: item?.['id'] ?? null, item_type: 'contract_item', materials_presently_stored: '12.50' },
          ],
        });
        expect(answer.status).toBe(200);
      },
      'what awaits approval': () =>
        platform.control.edit('change_record', {
          kind: 'work_order_contracts',
          id: CONTRACT,
          set: { pending_change_orders: '12.50' },
          quiet: true,
        }),
    };

    it.each(Object.keys(amounts))('brings the contract: %s', async (what) => {
      const contract = () =>
        platform.control.records('work_order_contracts').find(({ id }) => id === CONTRACT) ?? {};
      platform.control.clock.advance(3 * 24 * HOUR);
      const { cursors } = await readAll();
      platform.control.clock.advance(HOUR);
      const before = contract();
      await amounts[what]?.(await new Caller(platform).login());
      expect(contract()).not.toEqual(before);
      expect(contract()['updated_at']).toBe(before['updated_at']);
      const { pages, cursors: next } = await readAll(cursors);
      expect(idsIn(pages.get('contract') ?? [])).toEqual([String(CONTRACT)]);
      // Known by then.
      expect(idsIn((await readAll(next)).pages.get('contract') ?? [])).toEqual([]);
    });
  });

  describe('of changes, when a payment changed and its contract did not move', () => {
    const CONTRACT = 1945782;
    const payments = (since?: Checkpoint) => pagesOf('payment', since);
    const ofContract = () =>
      platform.control
        .records('contract_payments')
        .filter((row) => row['contract_id'] === CONTRACT)
        .map((row) => stringifyJson(row['id']));
    const body = (payment: JsonObject): JsonObject => ({
      project_id: LUSAIL,
      contract_id: CONTRACT,
      contract_payment: payment,
    });
    const path = '/rest/v1.0/contract_payments';
    let person: Caller;
    let cursor: Checkpoint | undefined;
    beforeEach(async () => {
      const contract = platform.control.records('work_order_contracts').find(({ id }) => id === CONTRACT);
      expect(valueAt(contract ?? {}, ['project', 'id'])).toBe(LUSAIL);
      person = await new Caller(platform).login();
      platform.control.clock.advance(3 * 24 * HOUR);
      ({ cursor } = lastOf(await payments()));
      platform.control.clock.advance(HOUR);
      await person.login();
    });
    const again = async () => {
      const pages = await payments(cursor);
      expect(lastOf(pages)).toMatchObject({ complete: true });
      ({ cursor } = lastOf(pages));
      return idsIn(pages).sort();
    };

    it('brings nothing while nothing was paid, and takes the calls of two lists', async () => {
      platform.control.log.clear();
      expect(await again()).toEqual([]);
      const projects = platform.control.records('projects').length;
      expect(platform.control.log.list(/_contracts\?/)).toHaveLength(2 * projects);
      expect(platform.control.log.list(/contract_payments/)).toEqual([]);
    });

    it.each(['create', 'change', 'delete'] as const)(
      'brings the payments of the contract: %s',
      async (what) => {
        const [first] = ofContract();
        const query = `project_id=${LUSAIL}&contract_id=${CONTRACT}`;
        const answer =
          what === 'create'
            ? await person.call('POST', path, body({ amount: '12.50', check_number: 'CHK-9' }))
            : what === 'change'
              ? await person.call('PATCH', `${path}/${first}`, body({ amount: '12.50' }))
              : await person.call('DELETE', `${path}/${first}?${query}`);
        expect([200, 201]).toContain(answer.status);
        expect(await again()).toEqual(ofContract().sort());
        // Known by then.
        expect(await again()).toEqual([]);
      },
    );

    it('learns of a new contract, and goes on from every checkpoint', async () => {
      await person.call('POST', path, body({ amount: '12.50', check_number: 'CHK-9' }));
      const whole = await payments(cursor);
      for (const [place, { next }] of whole.entries()) {
        if (next === null) continue;
        const rest = await pagesOf('payment', cursor, JSON.parse(JSON.stringify(next)) as Checkpoint);
        expect(idsIn(rest)).toEqual(idsIn(whole.slice(place + 1)));
        expect(lastOf(rest).cursor).toMatchObject({
          marks: { [LUSAIL]: { [CONTRACT]: expect.any(String) } },
        });
      }
    });

    it('is content with a cursor that knows no marks', async () => {
      const { since, parts } = cursor as { since: string; parts: string[] };
      await person.call('POST', path, body({ amount: '12.50' }));
      expect(idsIn(await payments({ since, parts }))).toEqual([]);
    });
  });

  describe('of payments, in a run that has read the contracts', () => {
    const CONTRACT = 1945782;
    const path = '/rest/v1.0/contract_payments';
    const listed = () => platform.control.log.list(/_contracts\?/).length;
    const all = () => platform.control.records('contract_payments').map(({ id }) => stringifyJson(id));
    const projects = () => platform.control.records('projects').length;

    it('lists no contract again, whole or of changes', async () => {
      const { cursors, pages } = await readAll();
      expect(listed()).toBe(2 * projects());
      expect(idsIn(pages.get('payment') ?? []).sort()).toEqual(all().sort());
      platform.control.log.clear();
      const changes = await readAll(cursors);
      expect(listed()).toBe(2 * projects());
      expect(lastOf(changes.pages.get('payment') ?? [])).toMatchObject({ complete: true });
      expect(platform.control.log.list(/contract_payments/)).toEqual([]);
    });

    it('sees what was paid on a contract that did not move, and so does the contract', async () => {
      platform.control.clock.advance(3 * 24 * HOUR);
      const { cursors } = await readAll();
      platform.control.clock.advance(HOUR);
      const person = await new Caller(platform).login();
      const { status } = await person.call('POST', path, {
        project_id: LUSAIL,
        contract_id: CONTRACT,
        contract_payment: { amount: '12.50', check_number: 'CHK-9' },
      });
      expect(status).toBe(201);
      const { pages, cursors: next } = await readAll(cursors);
      expect(idsIn(pages.get('contract') ?? [])).toEqual([String(CONTRACT)]);
      expect(recordsIn(pages.get('payment') ?? []).map(({ payload }) => payload['check_number'])).toContain(
        'CHK-9',
      );
      const after = await readAll(next);
      expect(idsIn(after.pages.get('contract') ?? [])).toEqual([]);
      expect(idsIn(after.pages.get('payment') ?? [])).toEqual([]);
    });

    it('reads the payments of the first contracts of a project once', async () => {
      platform.control.edit('insert_record', { kind: 'projects', like: LUSAIL, set: { name: 'New' } });
      const id = platform.control.records('projects').at(-1)?.['id'] ?? null;
      const { cursors: before } = await readAll();
      platform.control.clock.advance(3 * 24 * HOUR);
      platform.control.edit('insert_record', {
        kind: 'work_order_contracts',
        like: CONTRACT,
        count: 3,
        set: { 'project.id': id },
      });
      platform.control.log.clear();
      const { cursors } = await readAll(before);
      expect(platform.control.log.list(/contract_payments/)).toHaveLength(3);
      platform.control.clock.advance(HOUR);
      const { cursors: next } = await readAll(cursors);
      platform.control.log.clear();
      await readAll(next);
      expect(platform.control.log.list(/contract_payments/)).toEqual([]);
    });

    it.each([
      ['payments', 'payment', `contract_payments.*contract_id=${CONTRACT}`],
      ['lines', 'contract', `/${CONTRACT}/line_items`],
    ] as const)(
      'asks again for no more than the %s of the contract that were refused',
      async (_, type, part) => {
        platform.control.clock.advance(3 * 24 * HOUR);
        platform.control.faults.add({ kind: 'status', status: 403, match: { path: part }, times: 0 });
        const whole = await readAll();
        platform.control.clock.advance(HOUR);
        platform.control.log.clear();
        const { cursors, pages } = await readAll(whole.cursors);
        const [gap] = lastOf(whole.pages.get(type) ?? []).gaps ?? [];
        expect(gap).toContain(String(CONTRACT));
        expect(lastOf(pages.get(type) ?? [])).toMatchObject({ complete: false, gaps: [gap] });
        expect(platform.control.log.list(/line_items|contract_payments/)).toHaveLength(1);
        platform.control.faults.clear();
        const after = await readAll(cursors);
        expect(lastOf(after.pages.get(type) ?? [])).toMatchObject({ complete: true });
        const [found] = recordsIn(after.pages.get(type) ?? []);
        expect(found?.payload[type === 'payment' ? 'contract_id' : 'id']).toBe(CONTRACT);
        platform.control.log.clear();
        await readAll(after.cursors);
        expect(platform.control.log.list(/line_items|contract_payments/)).toEqual([]);
      },
    );

    it('reads no contract again while the platform counts one that it does not show', async () => {
      platform.control.clock.advance(3 * 24 * HOUR);
      platform.control.switches.set('totalCountsHidden', true);
      platform.control.edit('hide_record', { kind: 'work_order_contracts', id: CONTRACT });
      const { cursors } = await readAll();
      platform.control.clock.advance(HOUR);
      platform.control.log.clear();
      const { pages, cursors: next } = await readAll(cursors);
      expect(lastOf(pages.get('contract') ?? [])).toMatchObject({ complete: false });
      expect(platform.control.log.list(/line_items|contract_payments/)).toEqual([]);
      platform.control.edit('hide_record', { kind: 'work_order_contracts', id: CONTRACT, hidden: false });
      const after = await readAll(next);
      expect(idsIn(after.pages.get('contract') ?? [])).toEqual([String(CONTRACT)]);
      expect(
        new Set(recordsIn(after.pages.get('payment') ?? []).map(({ payload }) => payload['contract_id'])),
      ).toEqual(new Set([CONTRACT]));
    });

    it('sees the payments of a contract whose lines are refused', async () => {
      platform.control.faults.add({
        kind: 'status',
        status: 403,
        match: { path: `/${CONTRACT}/line_items` },
        times: 0,
      });
      const { pages, cursors } = await readAll();
      expect(idsIn(pages.get('payment') ?? []).sort()).toEqual(all().sort());
      expect(lastOf(pages.get('payment') ?? [])).toMatchObject({ complete: true });
      const person = await new Caller(platform).login();
      await person.call('POST', path, {
        project_id: LUSAIL,
        contract_id: CONTRACT,
        contract_payment: { amount: '12.50', check_number: 'CHK-9' },
      });
      const after = recordsIn((await readAll(cursors)).pages.get('payment') ?? []);
      expect(after.map(({ payload }) => payload['check_number'])).toContain('CHK-9');
    });

    it('knows all contracts, wherever the reading of these was interrupted', async () => {
      const whole = await pagesOf('contract');
      for (const { next } of whole) {
        if (next === null) continue;
        const rest = await pagesOf('contract', undefined, JSON.parse(JSON.stringify(next)) as Checkpoint);
        const { cursor = null } = lastOf(rest);
        platform.control.log.clear();
        const payments = await pagesOf('payment', undefined, null, new Map([['contract', cursor]]));
        expect(idsIn(payments).sort()).toEqual(all().sort());
        expect(listed()).toBe(0);
      }
    });

    it('looks itself where contracts could not be read, and names what it may not see', async () => {
      platform.control.edit('switch_tool', { project_id: LUSAIL, tool: 'commitments' });
      const { pages } = await readAll();
      expect(lastOf(pages.get('payment') ?? [])).toMatchObject({
        complete: false,
        gaps: [
          `project ${LUSAIL}: contract_payments of work_order_contracts (403)`,
          `project ${LUSAIL}: contract_payments of purchase_order_contracts (403)`,
        ],
      });
      const contracts = lastOf(await pagesOf('contract')).cursor ?? null;
      platform.control.edit('switch_tool', { project_id: LUSAIL, tool: 'commitments', on: true });
      platform.control.log.clear();
      const payments = await pagesOf('payment', undefined, null, new Map([['contract', contracts]]));
      expect(listed()).toBe(2);
      expect(idsIn(payments).sort()).toEqual(all().sort());
    });
  });

  it('of changes brings all of a project that the last one did not cover', async () => {
    platform.control.clock.advance(3 * 24 * 3_600_000);
    platform.control.edit('switch_tool', { project_id: LUSAIL, tool: 'invoicing', status: 404 });
    const before = lastOf(await pagesOf('invoice'));
    expect(before).toMatchObject({ complete: false, gaps: [`project ${LUSAIL}: requisitions (404)`] });
    platform.control.edit('switch_tool', { project_id: LUSAIL, tool: 'invoicing', on: true });
    platform.control.clock.advance(3_600_000);
    const after = await pagesOf('invoice', before.cursor);
    expect(idsIn(after).length).toBeGreaterThan(0);
    expect(recordsIn(after).every(({ payload }) => payload['project_id'] === LUSAIL)).toBe(true);
    expect(lastOf(after)).toMatchObject({ complete: true });
  });

  it('names the invoices whose items may not be read, and reads on', async () => {
    platform.control.faults.add({ kind: 'status', status: 403, match: { path: 'view=items' } });
    const pages = await pagesOf('invoice');
    const gaps = lastOf(pages).gaps ?? [];
    const missing = gaps.map((gap) => /^project \d+: requisitions (\d+) \(403\)$/.exec(gap)?.[1] ?? gap);
    expect(missing.length).toBeGreaterThan(0);
    const all = platform.control.records('requisitions').map(({ id }) => stringifyJson(id));
    expect([...missing, ...idsIn(pages)].sort()).toEqual(all.sort());
    expect(idsIn(await pagesOf('invoice')).sort()).toEqual(all.sort());
  });

  it('names what may not be read, and keeps what may', async () => {
    platform.control.edit('switch_tool', { project_id: LUSAIL, tool: 'commitments' });
    const pages = await pagesOf('contract');
    expect(lastOf(pages).gaps).toEqual([
      `project ${LUSAIL}: work_order_contracts (403)`,
      `project ${LUSAIL}: purchase_order_contracts (403)`,
    ]);
    expect(idsIn(pages).length).toBeGreaterThan(0);
    expect(lastOf(await pagesOf('payment')).complete).toBe(false);
  });

  it('takes a project that the account does not see any more for a gap, as long as that lasts', async () => {
    const others = projectIds().filter((id) => id !== LUSAIL);
    for (const entityType of ['project', 'contract', 'payment'] as const) {
      const { cursor: first = null } = await readingOf(entityType, {});
      permit(others);
      const whole = await readingOf(entityType, { before: first });
      const gap = { complete: false, gaps: [`project ${LUSAIL} (not to be seen)`] };
      expect(whole).toMatchObject(gap);
      const changes = await readingOf(entityType, { since: whole.cursor ?? null });
      expect(changes).toMatchObject(gap);
      expect(await readingOf(entityType, { before: changes.cursor ?? null })).toMatchObject(gap);
      permit(null);
      expect(await readingOf(entityType, { before: changes.cursor ?? null })).toMatchObject({
        complete: true,
      });
    }
  });

  it('takes a project that went out of sight before it was resumed for a gap', async () => {
    const whole = await pagesOf('contract');
    const before = lastOf(whole).cursor ?? null;
    const lost = Math.max(...projectIds());
    permit(projectIds().filter((id) => id !== lost));
    const stored = JSON.parse(JSON.stringify(whole[0]?.next)) as Checkpoint;
    const resumed = await readingOf('contract', { before }, stored);
    const gaps = [`project ${lost} (not to be seen)`];
    expect(resumed).toMatchObject({ complete: false, gaps });
    // Each once, however often the reading is resumed.
    const page = JSON.parse(JSON.stringify(whole.at(-2)?.next)) as JsonObject;
    expect(await readingOf('contract', { before }, { ...page, gaps })).toMatchObject({ gaps });
  });

  it('reads all of a project that came into sight behind a reading that was resumed', async () => {
    platform.control.clock.advance(3 * 24 * HOUR);
    const late = Math.min(...projectIds());
    permit(projectIds().filter((id) => id !== late));
    const whole = await pagesOf('contract');
    const before = lastOf(whole).cursor ?? null;
    const stored = JSON.parse(JSON.stringify(whole.at(-2)?.next)) as Checkpoint;
    permit(null);
    const { cursor = null } = await readingOf('contract', { before }, stored);
    platform.control.clock.advance(HOUR);
    const own = (pages: readonly RecordPage[]) =>
      recordsIn(pages).filter(({ payload }) => valueAt(payload, ['project', 'id']) === late);
    const expected = own(await pagesOf('contract')).length;
    expect(expected).toBeGreaterThan(0);
    expect(own(await pagesOf('contract', cursor))).toHaveLength(expected);
  });

  it('reads all of a project that came back into sight behind a reading that was resumed', async () => {
    const late = Math.min(...projectIds());
    const { cursor: first = null } = await readingOf('contract', {});
    platform.control.clock.advance(HOUR);
    const lateContracts = platform.control
      .records('work_order_contracts')
      .filter((contract) => valueAt(contract, ['project', 'id']) === late);
    const id = Number(lateContracts[0]?.['id']);
    platform.control.edit('change_record', {
      kind: 'work_order_contracts',
      id,
      set: { description: 'Changed' },
    });
    platform.control.clock.advance(HOUR);
    permit(projectIds().filter((one) => one !== late));
    const parts = await pagesOf('contract', first);
    const stored = JSON.parse(JSON.stringify(parts.at(-2)?.next)) as Checkpoint;
    permit(null);
    const resumed = await pagesOf('contract', first, stored);
    expect(idsIn([...parts, ...resumed])).not.toContain(String(id));
    platform.control.clock.advance(HOUR);
    expect(idsIn(await pagesOf('contract', lastOf(resumed).cursor))).toContain(String(id));
  });

  it('of changes brings a project that came into sight, however long ago it changed', async () => {
    platform.control.clock.advance(3 * 24 * HOUR);
    const late = Math.min(...projectIds());
    permit(projectIds().filter((id) => id !== late));
    const { cursor: first = null } = await readingOf('project', {});
    platform.control.clock.advance(HOUR);
    permit(null);
    const pages = await pagesOf('project', first);
    expect(idsIn(pages)).toContain(String(late));
    platform.control.clock.advance(HOUR);
    permit(projectIds().filter((id) => id !== late));
    const [unfinished] = await pagesOf('project', first);
    permit(null);
    const stored = JSON.parse(JSON.stringify(unfinished?.next)) as Checkpoint;
    const { cursor: resumed = null } = await readingOf('project', { since: first }, stored);
    expect(idsIn(await pagesOf('project', resumed))).toContain(String(late));
    expect(idsIn(await pagesOf('project', lastOf(pages).cursor ?? null))).toEqual([]);
  });

  it('remembers the projects while the account sees none of them', async () => {
    for (const entityType of ['project', 'contract', 'payment'] as const) {
      permit(null);
      const { cursor: first = null } = await readingOf(entityType, {});
      permit([]);
      const gaps = expect.arrayContaining(
        projectIds().map((id) => `project ${id} (not to be seen)`),
      ) as unknown;
      const whole = await readingOf(entityType, { before: first });
      expect(whole).toMatchObject({ complete: false, gaps });
      const changes = await readingOf(entityType, { since: whole.cursor ?? null });
      expect(changes).toMatchObject({ complete: false, gaps });
      expect(await readingOf(entityType, { before: changes.cursor ?? null })).toMatchObject({ gaps });
    }
  });

  it('is restricted to the projects of the settings', async () => {
    caller = await service.openLive(platform, { projects: [String(LUSAIL), '4711'] });
    expect(idsIn(await pagesOf('project'))).toEqual([String(LUSAIL)]);
    const pages = await pagesOf('invoice');
    expect(recordsIn(pages).every(({ payload }) => payload['project_id'] === LUSAIL)).toBe(true);
    expect(lastOf(pages)).toMatchObject({ complete: false, gaps: ['project 4711 (not to be seen)'] });
  });

  it('is not complete when rows were hidden, and has looked twice', async () => {
    platform.control.switches.set('totalCountsHidden', true);
    platform.control.edit('hide_record', { kind: 'vendors', id: 501004 });
    const last = lastOf(await pagesOf('customer'));
    expect(last).toMatchObject({ complete: false, gaps: ['vendors (its list changed while it was read)'] });
    expect(last.cursor).toBeUndefined();
    expect(platform.control.log.list(/\/rest\/v1.0\/vendors\?/)).toHaveLength(2);
  });

  it('gets every row when others come while it pages', async () => {
    platform.control.edit('insert_record', { kind: 'vendors', like: 501004, count: 250, set: { name: 'X' } });
    const edit = { kind: 'vendors', like: 501004, count: 3, at: 'start' };
    platform.control.faults.add({
      kind: 'edit',
      edit: 'insert_record',
      with: edit,
      match: { path: 'vendors\\?.*page=2' },
    });
    const pages = await pagesOf('customer');
    expect(lastOf(pages)).toMatchObject({ complete: true });
    expect(new Set(idsIn(pages)).size).toBe(257);
    expect(idsIn(pages)).toHaveLength(257);
  });

  it('tells how many calls it took', async () => {
    platform.control.log.clear();
    const pages = await pagesOf('contract');
    const calls = pages.reduce((sum, page) => sum + (page.calls ?? 0), 0);
    expect(calls).toBe(platform.control.log.list(/\/rest\//).length);
  });
});

describe('a platform that does not do what it should', () => {
  const connect = () =>
    portfolioOf(service.url, caller, database).client.post('/connect', { platform: 'platform_a' });

  it('is tried again, and read whole', async () => {
    const expected = idsIn(await pagesOf('invoice'));
    for (const kind of ['truncate', 'cut', 'reset_before', 'reset_after', 'html'] as const) {
      platform.control.faults.add({ kind, match: { path: 'requisitions' } });
    }
    platform.control.faults.add({ kind: 'html', status: 200, match: { path: 'requisitions', nth: 7 } });
    platform.control.edit('expire_tokens');
    expect(idsIn(await pagesOf('invoice'))).toEqual(expected);
    expect(platform.control.faults.isSpent).toBe(true);
  });

  it.each([
    [
      'refuses the company',
      () => platform.control.edit('connect_app', { connected: false }),
      'platform_a refused (403)',
    ],
    [
      'has a gateway before it that knows no such address',
      () => platform.control.faults.add({ kind: 'html', status: 404, times: 0, match: { path: 'projects' } }),
      'platform_a answers nonsense (404)',
    ],
    [
      'answers nonsense',
      () => platform.control.faults.add({ kind: 'html', status: 200, times: 0, match: { path: 'projects' } }),
      'platform_a answers nonsense (200)',
    ],
  ])('is named when it %s', async (_what, happen, message) => {
    happen();
    const { status, body } = await connect();
    expect({ status, error: body.error.message }).toEqual({ status: 502, error: message });
  });

  it('is named when it refuses the credentials', async () => {
    const { credentials } = platform;
    caller = await service.openLive({ ...platform, credentials: { ...credentials, client_secret: 'wrong' } });
    const { status, body } = await connect();
    expect({ status, error: body.error.message }).toEqual({
      status: 502,
      error: 'platform_a refused the credentials (401)',
    });
    expect(await service.connector.test?.(caller.connection, never)).toEqual({
      ok: false,
      message: 'platform_a refused the credentials (401)',
    });
  });

  it('is named when no server answers', async () => {
    caller = await service.openLive({ ...platform, loginUrl: 'http://127.0.0.1:9' });
    const { status, body } = await connect();
    expect(status).toBe(502);
    expect(body.error.message).toBe('platform_a cannot be reached: the connection was refused');
  });
});

describe('a connection', () => {
  it('is tested with one page', async () => {
    expect(await service.connector.test?.(caller.connection, never)).toEqual({
      ok: true,
      message: 'platform_a shows 5 projects',
    });
    expect(platform.control.log.list(/\/rest\//)).toHaveLength(1);
  });

  const wholly = storedEntityTypes.map((entityType) => ({ entityType }));

  it('says what a reading will take', async () => {
    const budget = await service.connector.budget?.(caller.connection, wholly, never);
    platform.control.log.clear();
    await readAll();
    expect(budget?.calls).toBe(platform.control.log.list(/\/rest\//).length);
    expect(budget?.minutesAtLimit).toBeGreaterThan(0);
  });

  it('says what a reading will take where projects are empty', async () => {
    const { platform_a: portfolio } = generatedPortfolio({ contracts: 3, projects: 5, seed: 7 });
    const sparse = await startUnlimited({ portfolio });
    caller = await service.openLive(sparse);
    const budget = await service.connector.budget?.(caller.connection, wholly, never);
    sparse.control.log.clear();
    await readAll();
    expect(budget?.calls).toBe(sparse.control.log.list(/\/rest\//).length);
    await sparse.close();
  });

  it('has the currency of its settings', async () => {
    expect(await service.connector.describe(caller.connection)).toEqual({ currency: 'USD' });
    caller = await service.openLive(platform, { currency: 'QAR' });
    expect(await service.connector.describe(caller.connection)).toEqual({ currency: 'QAR' });
  });
});
