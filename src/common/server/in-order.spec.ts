import express, { type ErrorRequestHandler, type RequestHandler } from 'express';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { inOrder } from './in-order';

describe('inOrder', () => {
  /** The response of an application whose handlers record their calls. */
  const responseOf = async (handlersOf: (noting: (name: string) => RequestHandler) => RequestHandler[]) => {
    const called: string[] = [];
    const noting =
      (name: string): RequestHandler =>
      (_request, _response, next) => {
        called.push(name);
        next();
      };
    const app = express();
    app.use(inOrder(...handlersOf(noting)));
    app.use((_request, response) => void response.end('behind them'));
    const fails: ErrorRequestHandler = (error: Error, _request, response, _next) => {
      response.statusCode = 500;
      response.end(error.message);
    };
    app.use(fails);
    const server = createServer(app).listen(0, '127.0.0.1');
    try {
      await once(server, 'listening');
      const { port } = server.address() as AddressInfo; // A server that listens on TCP has such an address.
      const answer = await fetch(`http://127.0.0.1:${port}/`);
      return { called, text: await answer.text() };
    } finally {
      server.close();
    }
  };

  it('calls each handler once, in their order, and then what is behind them', async () => {
    const answer = await responseOf((noting) => ['one', 'two', 'three'].map(noting));
    expect(answer).toEqual({ called: ['one', 'two', 'three'], text: 'behind them' });
  });

  it('ends at a handler that answers', async () => {
    const answering: RequestHandler = (_request, response) => void response.end('answered');
    const answer = await responseOf((noting) => [noting('one'), answering, noting('three')]);
    expect(answer).toEqual({ called: ['one'], text: 'answered' });
  });

  it.each<[string, RequestHandler]>([
    [
      'throws',
      () => {
        throw new Error('failed');
      },
    ],
    ['hands on', (_request, _response, next) => next(new Error('failed'))],
  ])('leaves an error that a handler %s to the application', async (_way, failing) => {
    const answer = await responseOf((noting) => [noting('one'), failing, noting('three')]);
    expect(answer).toEqual({ called: ['one'], text: 'failed' });
  });
});
