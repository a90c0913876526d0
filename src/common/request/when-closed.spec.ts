import { createServer, type ServerResponse } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { announceComplete, whenComplete } from '../response/response-complete';
import { whenClosed } from './when-closed';

/** Serves one request with `handle`, and waits for its promise. */
async function served(handle: (response: ServerResponse) => Promise<void>): Promise<void> {
  let end: (result: Promise<void>) => void = () => undefined;
  const ended = new Promise<void>((resolve) => (end = resolve));
  const server = createServer((_request, response) => end(handle(response)));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const socket = connect(port, '127.0.0.1', () => socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n'));
  server.once('request', (_request, response: ServerResponse) =>
    response.once('leave', () => socket.destroy()),
  );
  await ended;
  socket.destroy();
  await new Promise((resolve) => server.close(resolve));
}

const closed = (response: ServerResponse) => new Promise<void>((resolve) => response.once('close', resolve));

describe('whenClosed', () => {
  it('calls back when the client disconnects, and at once if it already has', () =>
    served(async (response) => {
      const early = jest.fn();
      whenClosed(response, early);
      const gone = closed(response);
      setImmediate(() => response.emit('leave'));
      await gone;
      expect(early).toHaveBeenCalledTimes(1);
      const late = jest.fn();
      whenClosed(response, late);
      expect(late).toHaveBeenCalledTimes(1);
    }));

  it('calls back when the response is sent, and at once after that', () =>
    served(async (response) => {
      const early = jest.fn();
      whenClosed(response, early);
      const out = closed(response);
      response.end('x');
      expect(early).not.toHaveBeenCalled();
      await out;
      expect(early).toHaveBeenCalledTimes(1);
      const late = jest.fn();
      whenClosed(response, late);
      expect(late).toHaveBeenCalledTimes(1);
    }));
});

describe('whenComplete', () => {
  it('calls back before the client has taken the answer', () =>
    served(async (response) => {
      const made = jest.fn();
      whenComplete(response, made);
      expect(made).not.toHaveBeenCalled();
      const out = closed(response);
      announceComplete(response);
      expect(made).toHaveBeenCalledTimes(1);
      response.end('{}');
      await out;
    }));

  it('calls back for a client that has left', () =>
    served(async (response) => {
      const gone = closed(response);
      setImmediate(() => response.emit('leave'));
      await gone;
      const made = jest.fn();
      whenComplete(response, made);
      expect(made).toHaveBeenCalledTimes(1);
    }));
});
