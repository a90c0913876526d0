import type { RunningPlatformA } from '@app/simulators';
import { Dispatcher } from '../../../src/outbox/dispatch/dispatcher';
import { WritingTimes } from '../../../src/platforms/platform_a/writing/calls/times';
import { api } from '../../support/app/api';
import {
  startLiveService,
  startUnlimited,
  type LiveCaller,
  type LiveService,
} from '../../support/live/live-platform-a';

jest.setTimeout(60_000);

const INVOICE = '10061';

describe('a field of one’s own on a live platform', () => {
  let service: LiveService;
  let platform: RunningPlatformA;
  let caller: LiveCaller;
  beforeAll(async () => {
    service = await startLiveService();
    const times = service.app.get(WritingTimes, { strict: false });
    Object.assign(times, { readBack: [10, 20], lookAgain: [5, 10, 15], retry: 5, refused: 5 });
  });
  afterAll(() => service.close());
  beforeEach(async () => {
    platform = await startUnlimited();
    caller = await service.openLive(platform);
  });
  afterEach(async () => {
    await platform.close();
    expect(platform.control.defects).toEqual([]);
  });

  it('is written as a custom field and as a column, journalled, and read when a user changes it', async () => {
    const client = api(service.url, caller.key);
    for (const name of ['platform_a', 'platform_b']) await client.post('/connect', { platform: name });
    const retention = {
      codec: 'money',
      platforms: {
        platform_a: { path: 'custom_fields.custom_field_77', writable: true },
        platform_b: { path: 'retentionHeld', writable: true },
      },
    };
    expect((await client.send('PUT', '/fields/invoice/retention', { body: retention })).status).toBe(200);
    const invoices = (await client.get('/objects?platform=platform_a&entity_type=invoice')).body.data;
    const { canonical_id: id, mappings } = (
      invoices as { id: string; canonical_id: string; mappings: object[] }[]
    ).find((one) => one.id === INVOICE) ?? { canonical_id: '', mappings: [] };
    expect(mappings).toHaveLength(2);

    const asked = { format: 'canonical', canonical_id: id, entity_type: 'invoice' };
    const value = { amount: 12_550, currency: 'USD' };
    const sent = await client.post('/propagate', { ...asked, data: { custom: { retention: value } } });
    const answer = async () => {
      service.app.get(Dispatcher, { strict: false }).wake();
      return (await client.get(`/propagations/${sent.body.data.propagation_id}`)).body.data;
    };
    let made = await answer();
    while (['pending', 'uncertain'].includes(made.propagated.platform_a.status)) made = await answer();
    expect(made).toMatchObject({
      canonical: { updated_fields: ['custom.retention'], data: { custom: { retention: value } } },
      propagated: { platform_a: { status: 'applied' }, platform_b: { status: 'applied' } },
    });
    const record = () =>
      platform.control.records('requisitions').find((row) => row['id'] === Number(INVOICE));
    expect(record()?.['custom_fields']).toMatchObject({ custom_field_77: { value: 125.5 } });
    const { body: history } = await client.get(`/objects/${id}/history`);
    expect(JSON.stringify(history.data)).toContain('"custom_fields.custom_field_77.value":125.5');

    platform.control.edit('change_record', {
      kind: 'requisitions',
      id: Number(INVOICE),
      set: { custom_fields: { custom_field_77: { data_type: 'decimal', value: '130.00' } } },
    });
    await client.post('/connect', { platform: 'platform_a' });
    const object = (await client.get(`/objects/${id}`)).body.data;
    expect(object.data.custom.retention).toEqual({ amount: 13_000, currency: 'USD' });
    expect(object.disagreements).toMatchObject([{ field: 'custom.retention', stands: 'platform_a' }]);
  });

  it('says when it is defined that the platform takes no other undocumented field', async () => {
    const client = api(service.url, caller.key);
    await client.post('/connect', { platform: 'platform_a' });
    const body = { codec: 'text', platforms: { platform_a: { path: 'made_up', writable: true } } };
    expect((await client.send('PUT', '/fields/invoice/made_up', { body })).body.data.on).toMatchObject([
      { when_creating: false, when_changing: false, why: expect.stringContaining('no custom field') },
    ]);
  });
});
