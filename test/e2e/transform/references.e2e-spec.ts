import { api } from '../../support/app/api';
import { startApp, type RunningApp } from '../../support/app/app';
import { expectError } from '../../support/app/expectations';
import { contextFor, entityTypes, nativeRecords } from '../../support/records/native-records';
import {
  platforms,
  portfolios,
  storedTypes,
  type Listed,
  type Platform,
  type Portfolio,
  type StoredType,
  type Portfolios,
} from '../../support/customers/portfolio';

jest.setTimeout(60_000);

const other = { platform_a: 'platform_b', platform_b: 'platform_a' } as const;

type Row = Readonly<Record<string, unknown>>;

describe('POST /transform, identity and references', () => {
  let app: RunningApp;
  let all: Portfolios;
  let portfolio: Portfolio;
  const listings: Record<Platform, Partial<Record<StoredType, Listed[]>>> = {
    platform_a: {},
    platform_b: {},
  };
  const mappings: Row[] = [];

  beforeAll(async () => {
    app = await startApp();
    all = await portfolios(app);
    portfolio = await all.connect();
    for (const platform of platforms) {
      for (const type of storedTypes) listings[platform][type] = await portfolio.list(platform, type);
    }
    for (const listed of Object.values(listings.platform_a)
      .concat(Object.values(listings.platform_b))
      .flat()) {
      for (const mapping of listed.mappings) mappings.push({ canonical_id: listed.canonical_id, ...mapping });
    }
  });
  afterAll(async () => {
    await all.close();
    await app.close();
  });

  const transform = (
    source: Platform,
    target: Platform,
    entity_type: string,
    data: unknown,
    context: object = {},
  ) => portfolio.client.post('/transform', { source, target, entity_type, data, context });

  const kindOf = ({ data }: Listed): object =>
    data.kind === undefined
      ? {}
      : { commitmentType: data.kind === 'purchase_order' ? 'PurchaseOrderContract' : 'WorkOrderContract' };

  const records = platforms.flatMap((platform) => storedTypes.map((type) => [platform, type] as const));

  describe.each(records)('each %s %s of the sandbox', (platform, type) => {
    it('has the ID in its preview that it is stored under, where its key is unique', async () => {
      const all = listings[platform][type] ?? [];
      expect(all.length).toBeGreaterThan(0);
      for (const listed of all) {
        const { status, body } = await transform(
          platform,
          other[platform],
          type,
          listed.platform_data,
          kindOf(listed),
        );
        expect(status).toBe(200);
        const repeats = /^sc-001$/i.test(listed.data.number ?? '');
        if (repeats && type === 'contract') expect(body.canonical.id).not.toBe(listed.canonical_id);
        else expect(body.canonical.id).toBe(listed.canonical_id);
      }
    });

    it('refers to stored objects, and goes out with the target’s IDs, when given the mappings', async () => {
      for (const listed of listings[platform][type] ?? []) {
        const context = { ...kindOf(listed), mappings };
        const { status, body } = await transform(
          platform,
          other[platform],
          type,
          listed.platform_data,
          context,
        );
        expect(status).toBe(200);
        expect(body.canonical.id).toBe(listed.canonical_id);
        const twin = listed.mappings.find((mapping) => mapping.platform === other[platform])?.platform_id;
        expect(body.data.id === undefined ? undefined : String(body.data.id)).toBe(twin);
        const { resolved = [], unresolved = [] } = body.metadata.references ?? {};
        for (const row of resolved as Row[]) {
          expect(row).toMatchObject({ injected: expect.any(Boolean), reason: expect.stringMatching(/./) });
          expect(mappings).toContainEqual({
            canonical_id: row.canonical_id,
            platform: other[platform],
            platform_id: row.platform_id,
          });
          expect(body.canonical[String(row.field)]).toBe(row.canonical_id);
          if (row.injected === true) expect(JSON.stringify(body.data)).toContain(String(row.platform_id));
        }
        // What is left has no record on the target, or is named by a number that repeats.
        for (const row of unresolved as Row[]) {
          expect(row).toEqual({
            field: expect.any(String),
            canonical_id: expect.any(String),
            reason: expect.stringMatching(/./),
          });
          expect(mappings).not.toContainEqual(
            expect.objectContaining({ canonical_id: row.canonical_id, platform: other[platform] }),
          );
        }
      }
    });

    it('stays as it is on its own platform', async () => {
      for (const listed of listings[platform][type] ?? []) {
        const { body } = await transform(platform, platform, type, listed.platform_data, kindOf(listed));
        expect(body.data).toEqual(listed.platform_data);
        expect(body.metadata).not.toHaveProperty('references');
      }
    });
  });

  describe('references by business key alone', () => {
    const invoiceId = () => listings.platform_a.invoice?.find(({ id }) => id === '10061')?.canonical_id;
    const projectId = () => listings.platform_a.project?.find(({ id }) => id === '341276')?.canonical_id;
    const contractId = () => listings.platform_a.contract?.find(({ id }) => id === '1945782')?.canonical_id;

    it.each([
      ['platform_a', 'payment', { invoice_number: ' inv-2025-0061' }, 'invoice_id', invoiceId],
      ['platform_b', 'contract', { shortcutDimension1Code: 'LEX-001' }, 'project_id', projectId],
      ['platform_b', 'invoice', { shortcutDimension1Code: 'LEX-001' }, 'project_id', projectId],
      ['platform_b', 'invoice', { customerPurchaseOrderReference: 'C-LEX-001' }, 'contract_id', contractId],
      ['platform_b', 'time_entry', { jobNumber: 'LEX-001' }, 'project_id', projectId],
      ['platform_b', 'budget_line_item', { jobNo: 'LEX-001' }, 'project_id', projectId],
      ['platform_b', 'change_order', { externalDocumentNumber: 'C-LEX-001/7' }, 'contract_id', contractId],
      ['platform_b', 'change_order', { shortcutDimension1Code: 'LEX-001' }, 'project_id', projectId],
    ] as const)('%s, a %s by %j', async (source, type, data, field, id) => {
      const alone = await transform(source, other[source], type, data);
      expect(alone.body.canonical[field]).toBe(id());
      expect(alone.body.metadata.references).toEqual({
        resolved: [],
        unresolved: [{ field, canonical_id: id(), reason: expect.any(String) }],
      });
      const answer = await transform(source, other[source], type, data, { mappings });
      expect(answer.body.metadata.references).toEqual({
        resolved: [expect.objectContaining({ field, canonical_id: id() })],
        unresolved: [],
      });
    });

    it('reach the target where it names them by key as well', async () => {
      const { body } = await transform('platform_b', 'platform_b', 'contract', {
        shortcutDimension1Code: 'LEX-001',
      });
      expect(body.data).toEqual({ shortcutDimension1Code: 'LEX-001' });
      const changeOrder = await transform(
        'platform_a',
        'platform_b',
        'change_order',
        { number: '7', contract_id: 1945782 },
        { mappings },
      );
      expect(changeOrder.body.data.externalDocumentNumber).toBe('7');
      expect(changeOrder.body.metadata.references.resolved).toEqual([
        expect.objectContaining({ field: 'contract_id', injected: false, reason: expect.any(String) }),
      ]);
    });

    it('are found by a GUID in upper case, and reach the target in lower case', async () => {
      const invoice = 'e4c74346-de67-45e7-bc0b-70120927dab0';
      const spelt = mappings.map((row) => ({ ...row, platform_id: String(row.platform_id).toUpperCase() }));
      const fromB = await transform(
        'platform_b',
        'platform_a',
        'payment',
        { appliesToInvoiceId: invoice.toUpperCase() },
        { mappings: spelt },
      );
      expect(fromB.body.metadata.references).toMatchObject({
        resolved: [{ field: 'invoice_id', platform_id: '10061' }],
        unresolved: [],
      });
      const toB = await transform(
        'platform_a',
        'platform_b',
        'payment',
        { requisition_id: 10061 },
        { mappings: spelt },
      );
      expect(toB.body.data).toMatchObject({ appliesToInvoiceId: invoice });
    });

    it('are never found by name', async () => {
      const { body } = await transform(
        'platform_a',
        'platform_b',
        'contract',
        {
          project: { name: 'Lusail Boulevard Tower' },
          vendor: { company: 'Doha Infrastructure Partners WLL' },
        },
        { commitmentType: 'WorkOrderContract', mappings },
      );
      expect(body.canonical).not.toHaveProperty('project_id');
      expect(body.canonical).not.toHaveProperty('customer_id');
      expect(body.metadata).not.toHaveProperty('references');
    });
  });

  it('takes mappings for what they say: of another type, they name nothing', async () => {
    const { canonical_id } = listings.platform_a.payment?.[0] ?? { canonical_id: '' };
    const { body } = await transform(
      'platform_a',
      'platform_b',
      'payment',
      { requisition_id: 10061 },
      {
        mappings: [{ canonical_id, platform: 'platform_a', platform_id: '10061' }],
      },
    );
    expect(body.metadata.references.unresolved).toEqual([
      { field: 'invoice_id', canonical_id: '', reason: expect.stringContaining('10061') },
    ]);
  });

  it.each([
    [{ mappings: {} }, /context\.mappings/],
    [{ mappings: ['x'] }, /context\.mappings\[0\]/],
    [{ mappings: [{ canonical_id: 'x', platform: 'platform_a' }] }, /context\.mappings\[0\]\.platform_id/],
    [
      { mappings: [{ canonical_id: 'x', platform: 'platform_a', platform_id: 5 }] },
      /context\.mappings\[0\]\.platform_id/,
    ],
    [
      { mappings: [{ canonical_id: 'x', platform: 'platform_c', platform_id: '5' }] },
      /context\.mappings\[0\]\.platform/,
    ],
    [{ provider_metadata: [] }, /context\.provider_metadata/],
    [{ provider_metadata: { platform_a: 5 } }, /context\.provider_metadata\.platform_a/],
    [{ provider_metadata: { platform_b: { fields: [] } } }, /context\.provider_metadata\.platform_b/],
    [{ provider_metadata: { platform_b: { literals: 'x' } } }, /context\.provider_metadata\.platform_b/],
    [{ provider_metadata: { platform_b: { lines: { x: 5 } } } }, /context\.provider_metadata\.platform_b/],
  ])('refuses the context %j with 422', async (context, message) => {
    expectError(
      await transform('platform_a', 'platform_b', 'payment', {}, context),
      422,
      'TRANSFORM_ERROR',
      message,
    );
  });

  it('leaves members of the context that it does not know alone', async () => {
    const { status } = await transform(
      'platform_a',
      'platform_b',
      'payment',
      {},
      { colour: 'red', __proto__x: 1 },
    );
    expect(status).toBe(200);
  });

  it.each(entityTypes.flatMap((type) => platforms.map((source) => [type, source] as const)))(
    'brings a %s of %s back whole when its provider_metadata is handed back',
    async (type, source) => {
      const data = {
        ...nativeRecords[type][source],
        extension: { list: [1.5, null, { deep: '' }], flag: false },
        empty: '',
        nothing: null,
      };
      const there = await transform(source, other[source], type, data, contextFor(source, type));
      expect(there.status).toBe(200);
      const back = await transform(other[source], source, type, there.body.data, {
        ...contextFor(other[source], type),
        provider_metadata: there.body.canonical.provider_metadata,
      });
      expect(back.body.data).toEqual(data);
      // An edit on the way wins over what was kept.
      const edits = { platform_a: editsOfA, platform_b: editsOfB }[other[source]];
      const [field, edited] = edits[type];
      const [editedBack, expected] = { platform_a: editsOfA, platform_b: editsOfB }[source][type];
      const answer = await transform(
        other[source],
        source,
        type,
        { ...there.body.data, [field]: edited },
        {
          ...contextFor(other[source], type),
          provider_metadata: there.body.canonical.provider_metadata,
        },
      );
      expect(answer.body.data).toEqual({ ...data, [editedBack]: expected });
    },
  );

  it('needs a key of this customer for its own IDs', async () => {
    const stranger = api(app.url, (await app.openSession()).key);
    const { body } = await stranger.post('/transform', {
      source: 'platform_a',
      target: 'platform_b',
      entity_type: 'payment',
      data: { check_number: 'CHK-2026-0101' },
    });
    const stored = listings.platform_a.payment?.find(({ id }) => id === '1823456')?.canonical_id;
    expect(body.canonical.id).not.toBe(stored);
  });
});

/** One field of each type with a new value, said on either platform. */
const editsOfA: Record<(typeof entityTypes)[number], [string, unknown]> = {
  project: ['name', 'Edited'],
  customer: ['name', 'Edited'],
  contract: ['contract_estimated_completion_date', '2030-01-01'],
  invoice: ['billing_date', '2030-01-01'],
  payment: ['date', '2030-01-01'],
  employee: ['job_title', 'Edited'],
  time_entry: ['hours', '1.5'],
  change_order: ['due_date', '2030-01-01'],
  budget_line_item: ['quantity', 3],
};
const editsOfB: typeof editsOfA = {
  project: ['displayName', 'Edited'],
  customer: ['displayName', 'Edited'],
  contract: ['requestedDeliveryDate', '2030-01-01'],
  invoice: ['invoiceDate', '2030-01-01'],
  payment: ['postingDate', '2030-01-01'],
  employee: ['jobTitle', 'Edited'],
  time_entry: ['quantity', 1.5],
  change_order: ['dueDate', '2030-01-01'],
  budget_line_item: ['quantity', 3],
};
