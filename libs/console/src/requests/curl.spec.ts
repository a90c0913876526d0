import { execFileSync } from 'node:child_process';
import { fc } from '../../../mapper/src/testing/property';
import { curlOf } from './curl';

const request = { method: 'POST', url: 'http://localhost:3000/api/v1/connect', headers: {}, body: undefined };

describe('curlOf', () => {
  it('is a command that has the variable KEY where the key was', () => {
    expect(
      curlOf({ ...request, headers: { 'Content-Type': 'application/json' }, body: '{"a":"it\'s"}' }),
    ).toBe(
      [
        "curl -X POST 'http://localhost:3000/api/v1/connect'",
        '-H "Authorization: Bearer $KEY"',
        "-H 'Content-Type: application/json'",
        `-d '{"a":"it'\\''s"}'`,
      ].join(' \\\n  '),
    );
  });

  it('gives a shell each body as it is', () => {
    const text = fc.string({ unit: 'grapheme' }).filter((one) => !one.includes('\0'));
    fc.assert(
      fc.property(text, (body) => {
        const printed = curlOf({ ...request, body }).replace(/^curl/, 'printf "%s\\0"');
        const words = execFileSync('sh', ['-c', printed], { encoding: 'utf8', env: { KEY: 'k' } }).split(
          '\0',
        );
        expect(words.at(-2)).toBe(body);
      }),
      { numRuns: 20 },
    );
  });
});
