import express, { type Request, type Response } from 'express';
import { createServer, IncomingMessage, ServerResponse, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { messageClasses, type ExpressApplication } from './message-classes';

/** What a handler sees of a request. */
const facts = (request: Request) => ({
  ip: request.ip,
  ips: request.ips,
  protocol: request.protocol,
  secure: request.secure,
  hostname: request.hostname,
  subdomains: request.subdomains,
  path: request.path,
  originalUrl: request.originalUrl,
  baseUrl: request.baseUrl,
  query: request.query,
  xhr: request.xhr,
  fresh: request.fresh,
  header: request.get('x-one'),
  distinct: request.headersDistinct['x-one'],
  accepts: request.accepts(['html', 'json']),
  charset: request.acceptsCharsets('utf-8'),
  is: request.is('json'),
  range: request.range(100),
  answerIsNodes: request.res instanceof ServerResponse,
  isNodes: request instanceof IncomingMessage,
  sameApplication: request.app === request.res?.app,
  complete: request.complete,
});

const routes: Record<string, (request: Request, response: Response) => void> = {
  '/facts': (request, response) => void response.json(facts(request)),
  '/text': (_request, response) => void response.send('text with an ETag'),
  '/bytes': (_request, response) => void response.type('bin').send(Buffer.from([1, 2, 3])),
  '/status': (_request, response) => void response.sendStatus(418),
  '/redirect': (_request, response) => response.redirect(303, '/elsewhere'),
  '/cookie': (_request, response) => void response.cookie('a', '1').vary('Origin').append('X-A', 'b').end(),
  '/links': (_request, response) => void response.links({ next: '/2' }).location('/1').json(null),
  '/file': (_request, response) => response.sendFile(__filename, { lastModified: false }),
  '/format': (_request, response) =>
    void response.format({ json: () => response.json(1), html: () => response.send('<p>') }),
  '/pieces': (_request, response) => {
    response.write('one ');
    response.end('two');
  },
  '/throws': () => {
    throw Object.assign(new Error('thrown'), { status: 409 });
  },
};

function application(): ExpressApplication {
  const app: unknown = express();
  return app as ExpressApplication; // It is one; the types of Express leave the prototypes out.
}

function routed(app: ExpressApplication): ExpressApplication {
  app.set('trust proxy', 1);
  app.set('env', 'test'); // Its final handler writes no stack.
  for (const [path, handler] of Object.entries(routes)) app.get(path, handler);
  const mounted = express();
  mounted.get('/facts', (request, response) => void response.json(facts(request)));
  app.use('/mounted', mounted);
  app.get('/behind', (request, response) => void response.json(facts(request)));
  return app;
}

const asked: readonly (readonly [string, RequestInit])[] = [
  ['/facts?a=1&b[c]=2&a=3', {}],
  ['/facts', { headers: { 'X-Forwarded-For': '10.0.0.1, 10.0.0.2', 'X-Forwarded-Proto': 'https' } }],
  ['/facts', { headers: { 'X-One': '1', Accept: 'application/json', 'X-Requested-With': 'XMLHttpRequest' } }],
  ['/facts', { headers: { Range: 'bytes=0-9', 'X-Forwarded-Host': 'a.b.example.com' } }],
  ['/mounted/facts?x=1', {}],
  ['/behind', {}],
  ['/nowhere', {}],
  ['/facts', { method: 'HEAD' }],
  ['/facts', { method: 'OPTIONS' }],
  ['/text', { headers: { 'If-None-Match': '"nothing"' } }],
  ['/format', { headers: { Accept: 'text/html' } }],
  ...Object.keys(routes).map((path) => [path, { redirect: 'manual' }] satisfies [string, RequestInit]),
];

describe('message classes', () => {
  const servers: Server[] = [];
  const urlOf = async (server: Server): Promise<string> => {
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  };
  afterAll(() => {
    for (const server of servers) server.close();
  });

  it.each(asked)('answer %s %j as Express does', async (path, init) => {
    const stock = await urlOf(createServer(routed(application())));
    const app = application();
    const flat = await urlOf(createServer(messageClasses(app), routed(app)));
    const answers = await Promise.all(
      [stock, flat].map(async (url) => {
        const answer = await fetch(url + path, init);
        const headers = Object.fromEntries(answer.headers);
        delete headers['date'];
        return { status: answer.status, headers, text: (await answer.text()).replaceAll(url, 'URL') };
      }),
    );
    expect(answers[1]).toEqual(answers[0]);
  });

  it('keep the prototype that Node created them with', async () => {
    const app = application();
    const server = createServer(messageClasses(app));
    const before: (object | null)[] = [];
    const within: (object | null)[] = [];
    const prototypeOf = (value: object) => Object.getPrototypeOf(value) as object | null;
    server.on('request', (...messages) => before.push(...messages.map(prototypeOf)));
    server.on('request', app);
    app.get('/', (request, response) => {
      within.push(prototypeOf(request), prototypeOf(response));
      response.end();
    });
    await (await fetch(await urlOf(server))).text();
    expect(within).toHaveLength(2);
    expect(within[0]).toBe(before[0]);
    expect(within[1]).toBe(before[1]);
  });
});
