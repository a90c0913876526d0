import { listeningUrl } from './listening-address';

describe('listeningUrl', () => {
  it.each([
    ['::', 'IPv6', 'http://localhost:3000'],
    ['0.0.0.0', 'IPv4', 'http://localhost:3000'],
    ['127.0.0.1', 'IPv4', 'http://localhost:3000'],
    ['192.0.2.7', 'IPv4', 'http://192.0.2.7:3000'],
    ['2001:db8::7', 'IPv6', 'http://[2001:db8::7]:3000'],
  ])('calls %s (%s) %s', (address, family, expected) => {
    expect(listeningUrl({ address, family, port: 3000 })).toBe(expected);
  });
});
