import { api } from '../../support/app/api';
import { startApp, type RunningApp } from '../../support/app/app';
import { findChromium, launchBrowser } from '../../support/console/browser';

jest.setTimeout(90_000);

const chromium = findChromium();
let app: RunningApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.close());

describe('/docs', () => {
  it('is a page that loads everything from its own origin', async () => {
    const answer = await fetch(`${app.url}/docs`);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toMatch(/^text\/html/);
    expect(answer.headers.get('x-request-id')).toMatch(/^req_/);
    expect(answer.headers.get('api-version')).toBe('1.0');
    const policy = answer.headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toMatch(/https?:|upgrade-insecure-requests|unsafe-eval/);

    const html = await answer.text();
    const links = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, link = '']) => link);
    expect(links.length).toBeGreaterThan(3);
    for (const link of links) {
      expect(link).not.toMatch(/^(?:[a-z]+:)?\/\//);
      expect((await fetch(new URL(link, `${app.url}/docs`))).status).toBe(200);
    }
  });

  it('serves the guides that the tags link to, with the same headers and as text', async () => {
    const page = await fetch(`${app.url}/docs`);
    const address = `${app.url}/api/v1/openapi.json`;
    const { tags } = (await (await fetch(address)).json()) as {
      tags: { name: string; externalDocs: { url: string } }[];
    };
    expect(tags.length).toBeGreaterThan(5);
    for (const { externalDocs } of tags) {
      const guide = await fetch(new URL(externalDocs.url, address));
      expect([guide.status, guide.headers.get('content-type')]).toEqual([
        200,
        'text/markdown; charset=utf-8',
      ]);
      for (const name of [
        'content-security-policy',
        'x-content-type-options',
        'referrer-policy',
        'api-version',
      ])
        expect([name, guide.headers.get(name)]).toEqual([name, page.headers.get(name)]);
      expect(await guide.text()).toMatch(/^# /);
    }
  });

  it('serves every page and file of the documentation that its pages link to', async () => {
    const addresses = ['api.md'];
    for (const address of addresses) {
      const response = await fetch(`${app.url}/docs/${address}`);
      expect({ address, status: response.status }).toEqual({ address, status: 200 });
      const text = await response.text();
      if (!address.endsWith('.md')) continue;
      for (const [, target = ''] of text.matchAll(/\]\(([^)#:\s]+)(?:#[^)]*)?\)/g)) {
        const to = new URL(target, `http://service/docs/${address}`).pathname;
        const isServed = to.startsWith('/docs/');
        const name = to.slice('/docs/'.length);
        if (isServed && !addresses.includes(name)) addresses.push(name);
      }
    }
    expect(addresses).toEqual(expect.arrayContaining(['errors.md', 'webhook-endpoints.md', 'openapi.json']));
  });

  it('is found with a slash behind it as well', async () => {
    const answer = await fetch(`${app.url}/docs/`, { redirect: 'manual' });
    expect([answer.status, answer.headers.get('location')]).toEqual([308, '../docs']);
  });

  it.each([
    '/docs/../package.json',
    '/docs/%2e%2e%2fpackage.json',
    '/docs/index.html',
    '/docs/a/b',
    '/docs/decisions',
    '/docs/.env',
  ])('gives nothing else away: %s', async (path) => {
    const answer = await fetch(app.url + path);
    expect(answer.status).toBe(404);
    expect(((await answer.json()) as { error: { type: string } }).error.type).toBe('NOT_FOUND');
  });

  it('sends the headers of pages, which other answers leave out', async () => {
    const [page, data] = [await fetch(`${app.url}/docs`), await fetch(`${app.url}/api/v1/health`)];
    expect(page.headers.get('referrer-policy')).toBe('no-referrer');
    expect(page.headers.get('cross-origin-opener-policy')).toBe('same-origin');
    expect(data.headers.get('referrer-policy')).toBeNull();
    expect(data.headers.get('content-security-policy')).toBe("default-src 'none';frame-ancestors 'none'");
  });
});

describe('/docs in a browser', () => {
  if (chromium === undefined) {
    it('cannot be tried here', () => {
      process.stdout.write('No Chromium was found (set CHROMIUM_PATH): /docs was not opened in a browser.\n');
      expect(process.env['CHROMIUM_REQUIRED']).toBeUndefined();
    });
    return;
  }

  it('shows the operations, finds one, and opens a demo session', async () => {
    const browser = await launchBrowser(chromium);
    try {
      const page = await browser.newPage();
      const problems: string[] = [];
      const elsewhere: string[] = [];
      page.on('pageerror', (error) => problems.push(error.message));
      page.on('console', (message) => void (message.type() === 'error' && problems.push(message.text())));
      page.on('request', (request) => {
        if (!request.url().startsWith(app.url) && !request.url().startsWith('data:'))
          elsewhere.push(request.url());
      });

      await page.goto(`${app.url}/docs`);
      const operations = page.locator('.opblock-tag-section .opblock');
      await operations.first().waitFor();
      const { body } = await api(app.url).get('/openapi.json');
      const paths = Object.values(body.paths as object);
      const described = paths.flatMap((path: object) => Object.keys(path));
      expect(described.length).toBeGreaterThan(10);
      await operations.nth(described.length - 1).waitFor();
      expect(await operations.count()).toBe(described.length);
      const told = Object.keys(body.webhooks).length;
      const webhooks = page.locator('.webhooks .opblock');
      await webhooks.nth(told - 1).waitFor();
      expect(await webhooks.count()).toBe(told);

      const link = page.locator('#operations-tag-Demo a[href$=".md"]');
      expect(await link.getAttribute('href')).toBe('/docs/sandbox.md');
      const guide = await browser.newPage();
      await guide.goto(`${app.url}/docs/sandbox.md`);
      expect(await guide.locator('body').innerText()).toMatch(/^# /);

      await page.locator('.operation-filter-input').fill('temporary sandbox');
      await page.waitForFunction('document.querySelectorAll(".opblock-tag-section .opblock").length === 1');
      const operation = page.locator('#operations-Demo-openDemoSession');
      await operation.locator('.opblock-summary-control').click();
      await operation.locator('button.execute').click();
      const live = operation.locator('.live-responses-table');
      await live.waitFor();
      expect((await live.locator('.response-col_status').last().innerText()).trim()).toMatch(/^200/);
      await live
        .locator('.microlight, pre')
        .filter({ hasText: /sk_demo_[0-9A-Za-z]+/ })
        .first()
        .waitFor();

      expect(problems).toEqual([]);
      expect(elsewhere).toEqual([]);
    } finally {
      await browser.close();
    }
  });
});
