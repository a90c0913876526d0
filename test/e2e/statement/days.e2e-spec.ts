import { api } from '../../support/app/api';
import { startApp, type RunningApp } from '../../support/app/app';
import { expectError } from '../../support/app/expectations';
import { keptCommandsOn } from '../cli/run-command';

const DAY = 86_400_000;

describe('a date without a time', () => {
  let service: RunningApp;
  const { json } = keptCommandsOn(() => service.databaseUrl);
  beforeAll(async () => {
    service = await startApp();
  });
  afterAll(() => service.close());

  /** A customer with records, whose time zone can be set. */
  async function connected() {
    const { key, customerId } = await service.issueKey('live');
    const client = api(service.url, key);
    await client.post('/connect', { platform: 'platform_a' });
    const { body } = await client.get('/objects?platform=platform_a&entity_type=project&limit=1');
    return {
      key,
      id: String(body.data[0].canonical_id),
      moveTo: (zone: string) => json('customers', 'set', '--customer', customerId, '--time-zone', zone),
      get: async (path: string) => {
        const { status, body: answered } = await client.get(path);
        return { status, data: answered.data, message: answered.error?.message };
      },
    };
  }

  it('is the end of that day in the customer’s time zone, which is UTC until it is set', async () => {
    const { get, moveTo } = await connected();
    const endOf = async (day: string) => (await get(`/reconciliation?as_of=${day}`)).data.as_of;
    expect(await endOf('2026-01-31')).toBe('2026-01-31T23:59:59.999999Z');
    await moveTo('Asia/Qatar');
    expect(await endOf('2026-01-31')).toBe('2026-01-31T20:59:59.999999Z');
    await moveTo('America/Sao_Paulo');
    expect(await endOf('2018-11-03')).toBe('2018-11-04T02:59:59.999999Z');
    const time = '2026-01-31T12:00:00.000000Z';
    expect(await endOf(time)).toBe(time);
  });

  it.each([
    ['a statement', '/reconciliation', 'reconciliation'],
    ['cases', '/reconciliation/cases', 'reconciliation-cases'],
  ])('names the file of %s, also where its end is on the next day in UTC', async (_what, path, name) => {
    const { key, moveTo } = await connected();
    await moveTo('America/New_York');
    const file = await fetch(`${service.url}/api/v1${path}?as_of=2026-01-31`, {
      headers: { Authorization: `Bearer ${key}`, Accept: 'text/csv' },
    });
    expect(await file.text()).toContain('as of,2026-02-01T04:59:59.999999Z');
    expect(file.headers.get('content-disposition')).toContain(`"${name}-2026-01-31.csv"`);
  });

  /** A day, and a time zone in which it has ended where it has not in UTC, or the other way round. */
  const turned = (now: Date) => {
    const day = (offset: number) => new Date(now.getTime() + offset * DAY).toISOString().slice(0, 10);
    // Twelve hours behind UTC a day ends at noon of the next one, fourteen hours ahead at ten of its own.
    return now.getUTCHours() < 10
      ? { day: day(-1), next: day(0), zone: 'Etc/GMT+12', endedInUtc: true }
      : { day: day(0), next: day(1), zone: 'Etc/GMT-14', endedInUtc: false };
  };

  it('decides in that zone whether a day lies in the future, for statements and objects', async () => {
    const { get, id, moveTo } = await connected();
    const { day, zone, endedInUtc } = turned(new Date());
    const future = expect.objectContaining({
      status: 400,
      message: expect.stringContaining('as_of must not lie in the future; a date without a time means'),
    });
    const look = async () => [
      await get(`/reconciliation?as_of=${day}`),
      await get(`/objects/${id}?as_of=${day}`),
    ];
    const ended = [
      expect.objectContaining({ status: 200 }),
      expect.objectContaining({ message: 'No object has this ID at that time' }),
    ];
    expect(await look()).toEqual(endedInUtc ? ended : [future, future]);
    await moveTo(zone);
    expect(await look()).toEqual(endedInUtc ? [future, future] : [ended[0], expect.anything()]);
  });

  it('begins in that zone where a listing asks for later changes', async () => {
    const { get, moveTo } = await connected();
    const { next, zone, endedInUtc } = turned(new Date());
    const listed = async () =>
      (await get(`/objects?platform=platform_a&entity_type=project&modified_after=${next}`)).data.length > 0;
    expect(await listed()).toBe(endedInUtc);
    await moveTo(zone);
    expect(await listed()).toBe(!endedInUtc);
  });

  it('of a customer that is gone is refused as its key is', async () => {
    const { key } = await service.openSession();
    const client = api(service.url, key);
    expect((await client.get('/reconciliation?as_of=2026-01-01')).status).toBe(200);
    await client.delete('/demo/session');
    expectError(await client.get('/reconciliation?as_of=2026-01-01'), 401, 'AUTHENTICATION_ERROR');
  });
});
