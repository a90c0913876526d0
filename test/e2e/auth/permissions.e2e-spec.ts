import { RequestMethod } from '@nestjs/common';
import { METHOD_METADATA, PATH_METADATA } from '@nestjs/common/constants.js';
import { MetadataScanner, ModulesContainer, Reflector } from '@nestjs/core';
import { accessOf, type Access } from '../../../src/auth/guard/access.decorators';
import { DEFAULT_PERMISSIONS, PERMISSIONS, type Permission } from '../../../src/auth/keys/permissions';
import { committedDocument } from '../../support/description/api-description';
import { api } from '../../support/app/api';
import { startApp, type RunningApp } from '../../support/app/app';
import { expectError } from '../../support/app/expectations';

interface Route {
  readonly method: string;
  /** Without `/api/v1`, with a value for each parameter. */
  readonly path: string;
  readonly access: Access | undefined;
}

/** Every route that a controller of the service has. */
function routesOf({ app }: RunningApp): readonly Route[] {
  const reflector = app.get(Reflector, { strict: false });
  const scanner = new MetadataScanner();
  const controllers = [...app.get(ModulesContainer, { strict: false }).values()].flatMap((module) =>
    [...module.controllers.values()].map(({ instance }) => instance),
  );
  return controllers.flatMap((controller) => {
    const prototype = Object.getPrototypeOf(controller) as Record<string, () => void>; // A class of handlers.
    const base = Reflect.getMetadata(PATH_METADATA, controller.constructor) as string;
    return scanner.getAllMethodNames(prototype).flatMap((name): Route[] => {
      const handler = prototype[name];
      const method: unknown = handler && Reflect.getMetadata(METHOD_METADATA, handler);
      if (handler === undefined || typeof method !== 'number') return [];
      const own = Reflect.getMetadata(PATH_METADATA, handler) as string;
      const path = `/${base}/${own}`.replace(/\/+/g, '/').replace(/(.)\/$/, '$1');
      return [{ method: RequestMethod[method] ?? '', path, access: accessOf(reflector, handler) }];
    });
  });
}

const described = Object.entries(
  (committedDocument() as { paths: Record<string, Record<string, { security: Record<string, string[]>[] }>> })
    .paths,
).flatMap(([path, operations]) =>
  Object.entries(operations).map(([method, { security }]) => ({
    route: `${method.toUpperCase()} ${path.replace('/api/v1', '')}`,
    permissions: security.flatMap((one) => Object.values(one).flat()),
  })),
);

describe('permissions', () => {
  let service: RunningApp;
  let routes: readonly Route[];
  const keys = new Map<string, ReturnType<typeof api>>();
  beforeAll(async () => {
    service = await startApp();
    routes = routesOf(service);
    for (const permission of PERMISSIONS) {
      const others = PERMISSIONS.filter((other) => other !== permission);
      keys.set(`all but ${permission}`, api(service.url, (await service.issueKey('live', others)).key));
      keys.set(permission, api(service.url, (await service.issueKey('live', [permission])).key));
    }
    keys.set(
      'administer and read',
      api(service.url, (await service.issueKey('live', ['administer', 'read'])).key),
    );
    keys.set('none', api(service.url, (await service.issueKey('test', [])).key));
  });
  afterAll(() => service.close());

  const call = (key: string, { method, path }: Route, body: unknown = '[]') => {
    const client = keys.get(key);
    if (client === undefined) throw new Error(`There is no key with ${key}`);
    return client.send(method, path.replace(/:\w+/g, 'x'), method === 'GET' ? {} : { body });
  };
  const needing = () =>
    routes.flatMap((route) =>
      route.access?.to === 'keys with permissions' ? [{ route, needed: route.access.permissions }] : [],
    );

  it('are declared by every route that is not public, and by these', () => {
    expect(routes.length).toBeGreaterThan(20);
    expect(routes.filter(({ access }) => access === undefined)).toEqual([]);
    const others = routes.filter(({ access }) => access?.to !== 'keys with permissions');
    expect(others.map(({ method, path, access }) => `${method} ${path}: ${access?.to ?? ''}`).sort()).toEqual(
      [
        'DELETE /demo/session: keys of a mode',
        'DELETE /mcp: any key',
        'GET /health: everyone',
        'GET /livez: everyone',
        'GET /mcp: any key',
        'GET /me: any key',
        'GET /openapi.json: everyone',
        'GET /readyz: everyone',
        'GET /webhooks/:platform/:address: everyone',
        'POST /demo/session: everyone',
        'POST /mcp: any key',
        'POST /webhooks/:platform/:address: everyone',
      ],
    );
  });

  it('are what the description of the API says', () => {
    const declared = needing().map(({ route, needed }) => ({
      route: `${route.method} ${route.path.replace(/:(\w+)/g, '{$1}')}`,
      permissions: [...needed],
    }));
    expect(described.filter(({ permissions }) => permissions.length > 0)).toEqual(
      expect.arrayContaining(declared),
    );
    expect(described.filter(({ permissions }) => permissions.length > 0)).toHaveLength(declared.length);
  });

  it('separate reading, changing, deciding and administering', () => {
    const byMethod: Record<string, Permission[]> = {};
    for (const { route, needed } of needing())
      (byMethod[`${route.method} ${route.path}`] ??= []).push(...needed);
    const reading = Object.entries(byMethod).filter(([name]) => name.startsWith('GET'));
    const ofAdministrators = reading.filter(([, needed]) => needed.includes('administer'));
    expect(ofAdministrators.map(([name]) => name.replace(/\/:id.*/, ''))).toEqual(
      ofAdministrators.map(() => 'GET /webhook-endpoints'),
    );
    expect(new Set(reading.flatMap(([, needed]) => needed))).toEqual(new Set(['read', 'administer']));
    expect(byMethod).toMatchObject({
      'POST /transform': ['read'],
      'POST /connect': ['write'],
      'POST /propagate': ['write'],
      'POST /reconciliation/decisions': ['decide'],
      'DELETE /reconciliation/decisions/:id': ['decide'],
      // Events are sent to an endpoint with their records.
      'POST /webhook-endpoints': ['administer', 'read'],
      'PATCH /webhook-endpoints/:id': ['administer', 'read'],
      'POST /webhook-endpoints/:id/resend': ['administer', 'read'],
    });
  });

  it('are required on every route: without one, 403 names it before the body is read', async () => {
    for (const { route, needed } of needing()) {
      for (const [key, missing] of [
        ...needed.map((one) => [`all but ${one}`, one] as const),
        ['none', needed[0]] as const,
      ]) {
        const answer = await call(key, route);
        expectError(answer, 403, 'AUTHORIZATION_ERROR', `The key does not have the permission ${missing}`);
        expect(answer.headers.get('x-request-id')).toMatch(/^req_/);
      }
    }
  });

  it('are enough by themselves', async () => {
    for (const { route, needed } of needing()) {
      expect([200, 400, 404]).toContain((await call(needed.join(' and '), route)).status);
    }
  });

  it.each<[string, () => Promise<{ readonly key: string }>]>([
    ['demo', () => service.openSession()],
    ['test', () => service.issueKey('test')],
    ['live', () => service.issueKey('live')],
  ])('of a %s key are all but the passage to platforms', async (_mode, issue) => {
    const client = api(service.url, (await issue()).key);
    for (const { route, needed } of needing()) {
      const { status } = await client.send(
        route.method,
        route.path.replace(/:\w+/g, 'x'),
        route.method === 'GET' ? {} : { body: '[]' },
      );
      expect(status === 403).toBe(!needed.every((one) => DEFAULT_PERMISSIONS.includes(one)));
    }
  });

  it('let a demo session be ended by a key of any permissions, and by no other key', async () => {
    const answer = await keys.get('none')?.send('DELETE', '/demo/session', { body: {} });
    if (answer === undefined) throw new Error('There was no answer');
    expectError(answer, 403, 'AUTHORIZATION_ERROR', 'Only a demo key may do that');
  });
});
