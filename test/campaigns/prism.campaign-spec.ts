// Prism, a validating proxy, stands in front of every call of the walk that makes the examples of the description.
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { documentFile } from '../support/description/api-description';
import { campaign } from '../support/campaign/campaign';
import { startApp } from '../support/app/app';
import { installTools, type InstalledTools } from '../support/installed/installed-tools';
import { walk } from '../e2e/openapi/walk';

/** A call that Prism has forwarded, and the violations of the description that it found. */
interface Checked {
  readonly call: string;
  readonly status: number;
  readonly ofRequest: readonly string[];
  readonly ofResponse: readonly string[];
}

/** A violation in the form of Prism's header `sl-violations`. */
interface Violation {
  readonly location: readonly string[];
  readonly severity: string;
  readonly code: string | number;
  readonly message: string;
}

campaign('prism', (figures) => {
  let tools: InstalledTools;
  const proxies = new Map<string, Promise<string>>();
  const running: ChildProcess[] = [];
  const direct = globalThis.fetch;
  beforeAll(async () => {
    tools = await installTools({ '@stoplight/prism-cli': '5.16.0' });
  });
  afterAll(() => {
    for (const prism of running) prism.kill();
    tools.remove();
  });

  /** The address of a proxy in front of a service. */
  const proxyOf = async (
    origin: string,
    description: string,
    ...more: readonly string[]
  ): Promise<string> => {
    const port = await freePort();
    const prism = tools.start('prism', 'proxy', description, origin, '--port', String(port), ...more);
    running.push(prism);
    const url = `http://127.0.0.1:${port}`;
    while (prism.exitCode === null) {
      const answer = await direct(`${url}/api/v1/livez`).catch(() => undefined);
      if (answer !== undefined) return url;
      await sleep(200);
    }
    throw new Error('Prism has ended');
  };

  figures.part('finds nothing that the description does not allow', async () => {
    const checked: Checked[] = [];
    const fetching = jest.spyOn(globalThis, 'fetch').mockImplementation(async (input, init) => {
      const url = new URL(input instanceof Request ? input.url : input);
      if (!url.pathname.startsWith('/api/v1') || !isJson(init?.body)) return direct(input, init);
      const proxy = await (proxies.get(url.origin) ?? start(url.origin));
      const answer = await direct(`${proxy}${url.pathname}${url.search}`, init);
      const violations: readonly Violation[] = JSON.parse(answer.headers.get('sl-violations') ?? '[]');
      const of = (place: string) =>
        violations
          .filter(({ location }) => location[0] === place)
          .map(({ location, message }) => `${location.join('.')}: ${message}`);
      checked.push({
        call: `${init?.method ?? 'GET'} ${url.pathname}${url.search}`,
        status: answer.status,
        ofRequest: of('request'),
        ofResponse: of('response'),
      });
      return answer;
    });
    const start = (origin: string): Promise<string> => {
      const starting = proxyOf(origin, documentFile);
      proxies.set(origin, starting);
      return starting;
    };
    await walk();
    fetching.mockRestore();
    figures.count('calls', checked.length);
    const problems = checked
      // The description must not allow a request that the service refuses as invalid.
      .flatMap(({ call, status, ofRequest, ofResponse }) => [
        ...ofResponse.map((problem) => `${call} ${status}: ${problem}`),
        ...(status < 400 ? ofRequest.map((problem) => `${call} ${status}: ${problem}`) : []),
      ]);
    expect(problems).toEqual([]);
    expect(checked.length).toBeGreaterThan(150);
    // Prism does check requests: some of those that the service refuses violate the description.
    expect(checked.filter(({ ofRequest }) => ofRequest.length > 0).length).toBeGreaterThan(10);
  });

  figures.part('finds what a description says that is not so', async () => {
    const service = await startApp();
    const document = JSON.parse(readFileSync(documentFile, 'utf8'));
    document.components.schemas.Health.required.push('never_there');
    const wrong = join(tools.folder, 'wrong.json');
    writeFileSync(wrong, JSON.stringify(document));
    const statuses: number[] = [];
    for (const description of [documentFile, wrong]) {
      const proxy = await proxyOf(service.url, description, '--errors');
      statuses.push((await direct(`${proxy}/api/v1/health`)).status);
    }
    expect(statuses).toEqual([200, 500]);
    await service.close();
  });
});

/** Whether a body is JSON or absent. Prism never answers a request with another body. */
function isJson(body: unknown): boolean {
  if (typeof body !== 'string' || body === '') return true;
  try {
    JSON.parse(body);
    return true;
  } catch {
    return false;
  }
}

/** A free port, because Prism cannot choose one itself. */
async function freePort(): Promise<number> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // It listens on a port.
  server.close();
  await once(server, 'close');
  return port;
}
