import { api } from '../../support/app/api';
import { startApp, type RunningApp } from '../../support/app/app';
import { describedBy } from '../../support/description/described-calls';
import { expectError } from '../../support/app/expectations';

describe('POST /transform with context.report', () => {
  let app: RunningApp;
  let client: ReturnType<typeof api>;
  beforeAll(async () => {
    app = await startApp();
    describedBy(await (await fetch(`${app.url}/api/v1/openapi.json`)).json());
    client = api(app.url, (await app.openSession()).key);
  });
  afterAll(() => app.close());

  const transform = (
    context?: object,
    data: object = { id: 7, amount: '12.50', notes: 'wired', origin: 'x' },
  ) =>
    client.post('/transform', {
      source: 'platform_a',
      target: 'platform_b',
      entity_type: 'payment',
      data,
      context,
    });

  it('says what became of each field, and where each comes from', async () => {
    const { status, body } = await transform({ report: true });
    expect(status).toBe(200);
    expect(body.metadata.report).toEqual({
      values: { mapped: 2, derived: 0, kept: 2, lost: 0 },
      source: [
        expect.objectContaining({ path: 'id', outcome: 'kept' }),
        expect.objectContaining({
          path: 'amount',
          outcome: 'mapped',
          target_paths: ['amount', 'currencyCode'],
        }),
        expect.objectContaining({ path: 'notes', outcome: 'mapped', target_paths: ['comment'] }),
        expect.objectContaining({ path: 'origin', outcome: 'kept' }),
      ],
      target: [
        expect.objectContaining({ path: 'amount', origin: 'mapped', source_paths: ['amount'] }),
        expect.objectContaining({ path: 'currencyCode', origin: 'mapped', fields: ['amount'] }),
        expect.objectContaining({ path: 'comment', origin: 'mapped', source_paths: ['notes'] }),
      ],
    });
  });

  it('changes nothing else, and is not there when it is not asked for', async () => {
    const [plain, reported] = [await transform(), await transform({ report: true })];
    const { report, ...metadata } = reported.body.metadata;
    expect(report).toBeDefined();
    expect(Object.keys(metadata)).toEqual(Object.keys(plain.body.metadata));
    expect([reported.body.canonical, reported.body.data]).toEqual([plain.body.canonical, plain.body.data]);
    for (const context of [{ report: false }, { report: null }]) {
      expect((await transform(context)).body.metadata.report).toBeUndefined();
    }
  });

  it.each(['true', 1, {}, []])('refuses %j with 422, naming it', async (report) => {
    expectError(
      await transform({ report }),
      422,
      'TRANSFORM_ERROR',
      'context.report: expected true or false',
    );
  });

  it('takes thousands of lines in one', async () => {
    const line_items = Array.from({ length: 2_000 }, (_, position) => ({ position, amount: '1.00' }));
    const { status, body } = await client.post('/transform', {
      source: 'platform_a',
      target: 'platform_b',
      entity_type: 'contract',
      data: { line_items },
      context: { report: true, commitmentType: 'WorkOrderContract' },
    });
    expect(status).toBe(200);
    expect(body.metadata.report.source).toEqual([
      expect.objectContaining({ path: 'line_items[].position', values: 2_000 }),
      expect.objectContaining({ path: 'line_items[].amount', values: 2_000, outcome: 'mapped' }),
    ]);
  });
});
