import { isHost } from './require-host.middleware';

describe('isHost', () => {
  it.each([
    'x',
    'example.com',
    'example.com:3000',
    'localhost:',
    '10.0.0.7:80',
    '[::1]',
    '[::1]:3000',
    'a%20b',
    '',
  ])('takes %j', (host) => expect(isHost(host)).toBe(true));

  it.each([
    'a b',
    'a/b',
    'http://a',
    'user@a',
    'a:80:80',
    'a:x',
    '[::1',
    '[x]',
    '[fe80::1%eth0]',
    '::1',
    'a%2',
    'a%zz',
    '<a>',
    'a\\b',
    'ä',
  ])('refuses %j', (host) => expect(isHost(host)).toBe(false));
});
