import express from 'express';
import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { declaresJson, jsonOnly } from './json-only.middleware';

const declares = (...contentTypes: string[]) =>
  declaresJson({ rawHeaders: contentTypes.flatMap((contentType) => ['Content-Type', contentType]) });

describe('declaresJson', () => {
  it.each([
    'application/json',
    'Application/JSON',
    'application/json; charset=utf-8',
    'application/json;charset="UTF-8"',
    'application/json; charset=utf8',
    'application/json; profile=x',
    ' application/json ',
  ])('takes %j', (contentType) => {
    expect(declares(contentType)).toBe(true);
  });

  it.each([
    '',
    'json',
    'text/json',
    'text/plain',
    'application/jsonp',
    'application/json-patch+json',
    'application/vnd.api+json',
    'application/json, text/html',
    'application/x-www-form-urlencoded',
    'application/json; charset=utf-16',
    'application/json; charset=iso-8859-1',
    '*/*',
  ])('refuses %j', (contentType) => {
    expect(declares(contentType)).toBe(false);
  });

  it('refuses a missing one', () => {
    expect(declares()).toBe(false);
  });

  it('requires each of several content types to be JSON', () => {
    expect(declares('application/json', 'application/json')).toBe(true);
    expect(declares('application/json', 'text/plain')).toBe(false);
    expect(declares('text/plain', 'application/json')).toBe(false);
  });
});

describe('jsonOnly', () => {
  let server: Server;
  beforeAll(async () => {
    const app = express();
    app.set('env', 'test'); // Express prints no error then.
    server = createServer(app.use(jsonOnly, (_request, response) => void response.end()));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  afterAll(() => new Promise((resolve) => server.close(resolve)));

  const statusOf = (method: string, headers: Record<string, string> = {}) =>
    new Promise<number | undefined>((resolve, reject) => {
      const { port } = server.address() as AddressInfo; // A listening TCP server has an address.
      request({ port, host: '127.0.0.1', method, headers, agent: false }, (answer) => {
        answer.resume();
        resolve(answer.statusCode);
      })
        .on('error', reject)
        .end();
    });

  it.each(['POST', 'PUT', 'PATCH', 'DELETE'])('refuses %s that does not declare JSON', async (method) => {
    expect(await statusOf(method)).toBe(415);
    expect(await statusOf(method, { 'Content-Type': 'text/plain' })).toBe(415);
    expect(await statusOf(method, { 'Content-Type': 'application/json' })).toBe(200);
  });

  it.each(['GET', 'HEAD', 'OPTIONS'])('asks none of %s', async (method) => {
    expect(await statusOf(method, { 'Content-Type': 'text/plain' })).toBe(200);
  });
});
