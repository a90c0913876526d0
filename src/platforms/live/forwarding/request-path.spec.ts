import { fc } from '../../../../libs/mapper/src/testing/property';
import { readPath } from './request-path';

describe('readPath', () => {
  it.each([
    ['/rest/v1.0/vendors/7', ['rest', 'v1.0', 'vendors', '7']],
    ['/customers(1a2b)/picture', ['customers(1a2b)', 'picture']],
    ["/items(number='A%20B')", ["items(number='A B')"]],
    ['/a.../b', ['a...', 'b']],
    ['/caf%C3%A9', ['café']],
  ])('reads %s', (path, segments) => {
    expect(readPath(path)).toEqual({ segments });
  });

  it.each([
    '',
    'rest/v1.0',
    '/',
    '//evil.example/x',
    '/a//b',
    '/a/',
    'https://evil.example/a',
    '/a/../b',
    '/a/./b',
    '/a/%2e%2E/b',
    '/a/.%2e',
    '/a/..;/b',
    '/a/%2e%2e%2fb',
    '/a%2Fb',
    '/a%5Cb',
    '/a\\b',
    '/a%252e%252e/b',
    '/a?b=1',
    '/a#b',
    '/a%3Fb',
    '/a%23b',
    '/a%00',
    '/a%0d%0aHost: evil',
    '/a b',
    '/a\tb',
    '/a%zz',
    '/a%C3',
    '/é',
    `/${'a'.repeat(2_000)}`,
  ])('refuses %j', (path) => {
    expect(readPath(path)).toEqual({ problem: expect.any(String) as unknown });
  });

  it('accepts only what stays below a base, whichever program reads the address', () => {
    const piece = fc.oneof(
      fc.constantFrom(
        '..',
        '.',
        '/',
        '\\',
        '%2e',
        '%2E',
        '%2f',
        '%5c',
        '%25',
        ';',
        '@',
        ':',
        '?',
        '#',
        'a',
        '//',
      ),
      fc.string({ maxLength: 3, unit: 'binary' }),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
        const path = `/${pieces.join('')}`;
        const read = readPath(path);
        if ('problem' in read) return;
        const { origin, pathname, search, hash } = new URL(`https://api.example/base${path}`);
        expect({ origin, pathname, search, hash }).toEqual({
          origin: 'https://api.example',
          pathname: `/base${path}`,
          search: '',
          hash: '',
        });
        // Decoded once more, it still has no other segments.
        expect(decodeURIComponent(path).split('/').slice(1)).toEqual(read.segments);
        expect(read.segments).not.toContain('..');
      }),
    );
  });
});
