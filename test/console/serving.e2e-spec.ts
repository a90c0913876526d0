import { readFileSync } from 'node:fs';
import { get, type IncomingMessage } from 'node:http';
import { brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConsoleMissing, readConsole } from '../../src/console/console-files';
import { startApp, type RunningApp } from '../support/app/app';
import { builtConsole, consoleFolder } from '../support/console/built-console';

jest.setTimeout(60_000);

let app: RunningApp;
beforeAll(async () => {
  app = await startApp({}, [], undefined, await builtConsole());
});
afterAll(() => app.close());

async function linksOf(page: Response): Promise<string[]> {
  const html = await page.text();
  return [...html.matchAll(/(?:src|href)="(console\/[^"]+)"/g)].map(([, link = '']) => link);
}

/** What goes over the wire: fetch would decompress it. */
function received(url: string, accepted: string): Promise<[IncomingMessage, Buffer]> {
  return new Promise((resolve, reject) => {
    get(url, { headers: { 'Accept-Encoding': accepted } }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.on('end', () => resolve([answer, Buffer.concat(chunks)]));
    }).on('error', reject);
  });
}

describe('/console', () => {
  it('is a page under a strict policy, without an exception', async () => {
    const page = await fetch(`${app.url}/console`);
    expect(page.status).toBe(200);
    expect(page.headers.get('content-type')).toMatch(/^text\/html/);
    expect(page.headers.get('cache-control')).toBe('no-store');
    expect(page.headers.get('x-request-id')).toMatch(/^req_/);
    expect(page.headers.get('content-security-policy')?.split(';').sort()).toEqual(
      [
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self'",
        "connect-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
        "require-trusted-types-for 'script'",
        "trusted-types 'none'",
      ].sort(),
    );
    expect(page.headers.get('x-frame-options')).toBe('DENY');
    expect(page.headers.get('referrer-policy')).toBe('no-referrer');
    expect(page.headers.get('x-content-type-options')).toBe('nosniff');
  });

  it('loads everything by relative addresses, which a browser keeps for ever', async () => {
    const links = await linksOf(await fetch(`${app.url}/console`));
    expect(links.length).toBeGreaterThan(3);
    for (const link of links) {
      const answer = await fetch(`${app.url}/${link}`);
      expect({ link, status: answer.status }).toEqual({ link, status: 200 });
      expect(link).toMatch(/-[0-9A-Z]{8}\.\w+$/);
      expect(answer.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
      expect(answer.headers.get('vary')).toContain('Accept-Encoding');
      expect((await answer.arrayBuffer()).byteLength).toBeGreaterThan(0);
    }
  });

  it.each([
    ['br', 'br', brotliDecompressSync],
    ['gzip', 'gzip', gunzipSync],
    ['gzip, deflate, br, zstd', 'br', brotliDecompressSync],
    ['br;q=0, gzip', 'gzip', gunzipSync],
  ])('sends what it compressed before to %s', async (accepted, encoding, decompress) => {
    const script =
      (await linksOf(await fetch(`${app.url}/console`))).find((link) => link.endsWith('.js')) ?? '';
    const plain = Buffer.from(
      await (
        await fetch(`${app.url}/${script}`, { headers: { 'Accept-Encoding': 'identity' } })
      ).arrayBuffer(),
    );
    const [{ headers }, body] = await received(`${app.url}/${script}`, accepted);
    expect(headers['content-encoding']).toBe(encoding);
    expect(body.length).toBeLessThan(plain.length / 2);
    expect(decompress(body).equals(plain)).toBe(true);
  });

  it('is where a browser that asks for / is sent; programs get what they got before', async () => {
    const browser = await fetch(app.url, { headers: { Accept: 'text/html,*/*;q=0.8' }, redirect: 'manual' });
    expect([browser.status, browser.headers.get('location')]).toEqual([302, 'console']);
    expect(browser.headers.get('vary')).toContain('Accept');
    const program = await fetch(app.url, { redirect: 'manual' });
    expect(program.status).toBe(404);
    const slash = await fetch(`${app.url}/console/`, { redirect: 'manual' });
    expect([slash.status, slash.headers.get('location')]).toEqual([308, '../console']);
  });

  it.each([
    '/console/manifest.json',
    '/console/index.html',
    '/console/../package.json',
    '/console/%2e%2e%2fpackage.json',
    '/console/a/b',
    '/console/__proto__',
  ])('gives nothing else away: %s', async (path) => {
    const answer = await fetch(app.url + path);
    expect(answer.status).toBe(404);
    expect(await answer.json()).toMatchObject({ error: { type: 'NOT_FOUND' } });
  });

  it('has one name for all assets in the log', async () => {
    const before = app.log.length;
    for (const link of await linksOf(await fetch(`${app.url}/console`))) await fetch(`${app.url}/${link}`);
    const routes = app.log.slice(before).flatMap(({ msg, route }) => (msg === 'request' ? [route] : []));
    expect(new Set(routes)).toEqual(new Set(['/console', '/console/:asset']));
  });
});

describe('a service without its console', () => {
  let without: RunningApp;
  beforeAll(async () => {
    without = await startApp({ databaseUrl: app.databaseUrl });
  });
  afterAll(() => without.close());

  it.each(['/console', '/'])('answers %s like any other path that it does not know', async (path) => {
    const answer = await fetch(without.url + path, { headers: { Accept: 'text/html' } });
    expect(answer.status).toBe(404);
  });
});

describe('readConsole', () => {
  const made: string[] = [];
  afterAll(() => Promise.all(made.map((folder) => rm(folder, { recursive: true }))));

  it.each([
    ['no manifest', undefined],
    ['a manifest that is no JSON', '{'],
    ['a manifest of another form', '{"page":"index.html"}'],
    ['a page outside of the folder', '{"page":"../package.json","files":{}}'],
    ['a file outside of the folder', '{"page":"index.html","files":{"../x":{"type":"a","encodings":{}}}}'],
    ['a file that is missing', '{"page":"index.html","files":{"x.js":{"type":"a","encodings":{}}}}'],
  ])('refuses %s', async (_what, manifest) => {
    const folder = await mkdtemp(join(tmpdir(), 'console-'));
    made.push(folder);
    await writeFile(join(folder, 'index.html'), '');
    if (manifest !== undefined) await writeFile(join(folder, 'manifest.json'), manifest);
    expect(() => readConsole(folder)).toThrow(ConsoleMissing);
  });
});

/** Bytes after gzip, as HTTP sends them: what the first screen may cost. */
const LIMITS = { js: 110_000, css: 8_000 };

describe('the build', () => {
  it('keeps within its size, in two scripts and a style sheet', async () => {
    const folder = await consoleFolder();
    const html = readFileSync(join(folder, 'index.html'), 'utf8');
    const initial = [
      ...html.matchAll(
        /(?:modulepreload"|stylesheet"|script type="module") (?:href|src)="console\/([^"]+)"/g,
      ),
    ];
    const names = initial.map(([, name = '']) => name);
    const size = (ending: string) =>
      names
        .filter((name) => name.endsWith(ending))
        .reduce((sum, name) => sum + gzipSync(readFileSync(join(folder, name)), { level: 9 }).length, 0);
    expect(names).toHaveLength(3);
    expect(size('.js')).toBeGreaterThan(10_000);
    expect(size('.js')).toBeLessThanOrEqual(LIMITS.js);
    expect(size('.css')).toBeLessThanOrEqual(LIMITS.css);
    expect(html).not.toMatch(/<script(?! type="module" src="console\/)|style=|https?:/);
  });

  it('carries the licences of the packages that are in it', async () => {
    const { assets } = await builtConsole();
    const [, licences] = [...assets].find(([name]) => name.startsWith('licences-')) ?? [];
    const text = licences?.plain.toString('utf8') ?? '';
    for (const name of ['react', 'react-dom', '@tanstack/query-core', 'wouter', 'openapi-fetch']) {
      expect(text).toMatch(new RegExp(`^${name} \\d+\\.\\d+\\.\\d+ \\(`, 'm'));
    }
    expect(text).toContain('Permission is hereby granted');
  });
});
