import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { isJsonObject, parseJsonText, stringifyJson, type JsonObject } from '@app/mapper';
import { SimulatedClock } from '../../server';
import { Caller, listOf, objectOf, textIn } from '../../testing/caller';
import { startPlatformA, type RunningPlatformA } from '..';
import { idText } from '../ids';

/** A receiver of events that answers as it is told. */
class Receiver {
  readonly events: JsonObject[] = [];
  readonly secrets: (string | undefined)[] = [];
  status = 200;
  private readonly server: Server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      const event = parseJsonText(body);
      if (isJsonObject(event)) this.events.push(event);
      this.secrets.push(request.headers.authorization);
      if (this.status > 0) response.writeHead(this.status).end();
    });
  });

  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/events`;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}

let platform: RunningPlatformA;
let caller: Caller;
let receiver: Receiver;
let url: string;
const clock = (): SimulatedClock => platform.control.clock;

beforeEach(async () => {
  const still = new SimulatedClock({ factor: 0, start: new Date('2026-11-02T08:00:00Z') });
  platform = await startPlatformA({ clock: still, switches: { spikeLimit: 0, hourlyLimit: 0 } });
  caller = await new Caller(platform).login();
  receiver = new Receiver();
  url = await receiver.listen();
});
afterEach(async () => {
  await platform.close();
  await receiver.close();
  expect(platform.control.defects).toEqual([]);
});

const hooks = '/rest/v1.0/webhooks/hooks';
async function subscribe(
  types: readonly string[],
  version = 'v2',
  scope: JsonObject = { company_id: 77410 },
): Promise<string> {
  const answer = await caller.call('POST', hooks, {
    ...scope,
    hook: {
      api_version: version,
      namespace: 'xlate',
      destination_url: url,
      destination_headers: { Authorization: 'Bearer shared-secret' },
    },
  });
  expect(answer.status).toBe(201);
  const hook = stringifyJson(objectOf(answer)['id']);
  for (const type of types) {
    const trigger = { resource_name: 'Projects', event_type: type };
    const made = await caller.call('POST', `${hooks}/${hook}/triggers`, {
      company_id: 77410,
      api_version: version,
      trigger,
    });
    expect(made.status).toBe(201);
  }
  return hook;
}
const rename = (name: string): Promise<unknown> =>
  caller.call('PATCH', '/rest/v1.0/projects/341276', { company_id: 77410, project: { name } });
const deliveries = async (hook: string, status: string): Promise<readonly JsonObject[]> =>
  listOf(await caller.get(`${hooks}/${hook}/deliveries?company_id=77410&filters[status]=${status}`));
/** Lets time pass in small steps until something is so; a receiver answers in real time. */
async function until(isSo: () => boolean | Promise<boolean>, step = 0): Promise<void> {
  for (let attempt = 0; !(await isSo()); attempt += 1) {
    if (attempt > 500) throw new Error('It never came to be');
    clock().advance(step);
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}

describe('a hook', () => {
  it('masks its secret, and is refused when it is not well formed', async () => {
    const hook = await subscribe([]);
    const [shown] = listOf(await caller.get(hooks));
    expect(stringifyJson(shown)).not.toContain('shared-s');
    const headers = shown?.['destination_headers'];
    expect(isJsonObject(headers) ? textIn(headers, 'Authorization') : '').toMatch(/^\*+ecret$/);
    const refused = async (fields: JsonObject): Promise<number> =>
      (
        await caller.call('POST', hooks, {
          company_id: 77410,
          hook: { api_version: 'v2', namespace: 'xlate', destination_url: url, ...fields },
        })
      ).status;
    expect(await refused({ namespace: 'X late' })).toBe(422);
    expect(await refused({ destination_url: 'nowhere' })).toBe(422);
    const trigger = { resource_name: 'Nothing', event_type: 'update' };
    expect((await caller.call('POST', `${hooks}/${hook}/triggers`, { trigger })).status).toBe(422);
    const triggers = [
      { resource_name: 'Projects', event_type: 'create' },
      { resource_name: 'Projects', event_type: 'never' },
    ];
    const bulk = await caller.call('POST', `${hooks}/${hook}/triggers/bulk`, { triggers });
    expect([bulk.status, listOf(bulk).map(({ status }) => status)]).toEqual([207, [201, 422]]);
    expect((await caller.call('DELETE', `${hooks}/${hook}`)).status).toBe(200);
    expect(listOf(await caller.get(hooks))).toEqual([]);
  });

  it('is told of what it asked for, after the change, with its secret and whose change it was', async () => {
    await subscribe(['update']);
    await rename('One');
    await caller.call('POST', '/rest/v1.0/projects', { company_id: 77410, project: { name: 'New' } });
    expect(receiver.events).toEqual([]);
    clock().advance(1000);
    await until(() => receiver.events.length === 1);
    platform.control.edit('change_record', { kind: 'projects', id: 341276, set: { name: 'Theirs' } });
    await until(() => receiver.events.length === 2, 1000);
    const [own, foreign] = receiver.events;
    expect(own).toMatchObject({
      api_version: 'v2',
      event_type: 'update',
      resource_name: 'Projects',
      resource_id: 341276,
      company_id: 77410,
      project_id: 341276,
      metadata: { source_application_id: platform.credentials.client_id },
    });
    expect(own).not.toHaveProperty('name');
    expect(foreign).toMatchObject({ metadata: { source_application_id: null } });
    expect(receiver.secrets).toEqual(['Bearer shared-secret', 'Bearer shared-secret']);
  });

  it('has strings and no metadata in version 4, and only its project if it is one for a project', async () => {
    await subscribe(['update'], 'v4', { project_id: 341276 });
    await caller.call('PATCH', '/rest/v1.0/projects/341289', {
      company_id: 77410,
      project: { name: 'Other' },
    });
    await rename('One');
    await until(() => receiver.events.length === 1, 1000);
    expect(receiver.events[0]).toMatchObject({
      reason: 'update',
      company_id: '77410',
      project_id: '341276',
      resource_type: 'Projects',
      resource_id: '341276',
    });
    expect(receiver.events[0]).not.toHaveProperty('metadata');
  });

  it('stands still after a failure, tries again ever later, and goes on in order', async () => {
    const hook = await subscribe(['update']);
    receiver.status = 500;
    await rename('One');
    await rename('Two');
    clock().advance(1000);
    await until(async () => (await deliveries(hook, 'failing')).length === 1);
    clock().advance(999);
    await new Promise((resolve) => setTimeout(resolve, 10));
    expect(receiver.events).toHaveLength(1);
    clock().advance(1);
    await until(async () => (await deliveries(hook, 'failing')).length === 2);
    receiver.status = 200;
    clock().advance(1999);
    await new Promise((resolve) => setTimeout(resolve, 10));
    expect(receiver.events).toHaveLength(2);
    clock().advance(1);
    await until(async () => (await deliveries(hook, 'successful')).length === 2);
    expect(new Set(receiver.events.slice(0, 3).map(({ id }) => id)).size).toBe(1);
    expect(receiver.events[3]?.['id']).not.toBe(receiver.events[0]?.['id']);
  });

  it('waits five seconds for an answer', async () => {
    const hook = await subscribe(['update']);
    receiver.status = 0;
    await rename('One');
    clock().advance(1000);
    await until(() => receiver.events.length === 1);
    expect(await deliveries(hook, 'any')).toEqual([]);
    clock().advance(5000);
    await until(async () => (await deliveries(hook, 'failing')).length === 1);
  });

  it('drops everything after twelve hours', async () => {
    const hook = await subscribe(['update']);
    receiver.status = 503;
    await rename('One');
    await rename('Two');
    // The token would end meanwhile.
    platform.control.switches.set('tokenSeconds', 1_000_000);
    await caller.login();
    await until(async () => (await deliveries(hook, 'discarded')).length === 2, 900_000);
    receiver.status = 200;
    await rename('Three');
    await until(async () => (await deliveries(hook, 'successful')).length === 1, 1000);
  });

  it('may end when its events were dropped', async () => {
    platform.control.switches.set('hooksEndWhenGivenUp', true);
    const hook = await subscribe(['update']);
    receiver.status = 503;
    await rename('One');
    platform.control.switches.set('tokenSeconds', 1_000_000);
    await caller.login();
    const isThere = async () =>
      listOf(await caller.get(`${hooks}?company_id=77410`)).some((shown) => idText(shown['id']) === hook);
    expect(await isThere()).toBe(true);
    await until(async () => !(await isThere()), 900_000);
  });

  it('may be told twice and out of order', async () => {
    await subscribe(['update']);
    platform.control.switches.setAll({ webhookDuplicates: true, webhookDisorder: true });
    for (const name of ['One', 'Two']) await rename(name);
    await until(() => receiver.events.length === 4, 1000);
    const told = receiver.events.map(({ id }) => Number(id));
    expect(told).toEqual([...told].sort((one, other) => other - one));
    expect(new Set(receiver.events.map(({ ulid }) => ulid)).size).toBe(2);
    platform.control.edit('repeat_events');
    await until(() => receiver.events.length === 5, 1000);
  });
});
