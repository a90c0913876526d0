import express from 'express';
import { once } from 'node:events';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { requestIdFrom } from '../../runtime/tracing/request-id';
import { traceContextOf } from '../../runtime/tracing/trace-context';
import { referencePage } from './reference-page';

describe('the API reference', () => {
  it('is served also where a folder of the installation has a name with a point in front', async () => {
    const hidden = await mkdtemp(join(tmpdir(), '.reference-page-'));
    const folder = join(hidden, 'src/common/openapi');
    await cp(join(__dirname, 'page'), join(folder, 'page'), { recursive: true });
    await cp(join(__dirname, '../../../docs/events.md'), join(hidden, 'docs/events.md'));
    const app = express();
    app.use((request, _response, next) => {
      request.context = { requestId: requestIdFrom(undefined), trace: traceContextOf(undefined) };
      next();
    });
    app.use(referencePage(folder));
    const server = app.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const statusOf = async (path: string) => (await fetch(`http://127.0.0.1:${port}${path}`)).status;
    const paths = ['/docs', '/docs/page.js', '/docs/swagger-ui.css', '/docs/events.md', '/docs/package.json'];
    const statuses = await Promise.all(paths.map(statusOf));
    server.closeAllConnections();
    server.close();
    await rm(hidden, { recursive: true });
    expect(statuses).toEqual([200, 200, 200, 200, 404]);
  });
});
