import { createServer, type IncomingMessage } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { headerValues } from './header-values';

describe('headerValues', () => {
  it('finds a header however it is spelt, each time it is given', () => {
    const rawHeaders = ['Host', 'a', 'HOST', 'b', 'X-Host', 'c', 'host', ''];
    expect(headerValues({ rawHeaders }, 'host')).toEqual(['a', 'b', '']);
    expect(headerValues({ rawHeaders }, 'x-host')).toEqual(['c']);
    expect(headerValues({ rawHeaders }, 'hos')).toEqual([]);
  });

  it('gives the values that Node gives when it parses all headers', async () => {
    const server = createServer({ requireHostHeader: false }).listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    try {
      const received = new Promise<IncomingMessage>((resolve) => server.once('request', resolve));
      socket.write(
        'GET / HTTP/1.1\r\nHost: a\r\nhost:b\r\nAuthorization:  x \r\nAUTHORIZATION: y\r\nX-Y: 1, 2\r\nx-y:\r\n\r\n',
      );
      const request = await received;
      for (const name of ['host', 'authorization', 'x-y', 'x-z']) {
        expect(headerValues(request, name)).toEqual(request.headersDistinct[name] ?? []);
      }
      expect(headerValues(request, 'authorization')).toEqual(['x', 'y']);
    } finally {
      socket.destroy();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    }
  });
});
