import { PlatformResponse } from '../../../live/platform-response';
import { refusalWords } from './refusal-words';

const said = (body: string): string | undefined =>
  refusalWords(new PlatformResponse(422, {}, Buffer.from(body)));

describe('the words of a refusal', () => {
  it.each([
    [
      '{"errors":{"name":["can\'t be blank","is odd"],"base":["It is locked"]}}',
      "name can't be blank; name is odd; It is locked",
    ],
    ['{"errors":["App is not connected to this company."]}', 'App is not connected to this company.'],
    ['{"errors":"Unauthorized"}', 'Unauthorized'],
    ['{"code":404,"message":"Not Found","fields":null,"reason":null}', 'Not Found'],
    [
      '{"error":{"code":"BAD","message":"Bad","details":[{"message":"a is b"},{"message":"c is d"}]}}',
      'a is b; c is d',
    ],
    ['{"error":{"code":"BAD","message":"Bad"}}', 'Bad'],
    ['{"error":"invalid_grant","error_description":"It has ended"}', 'It has ended'],
    ['It is\n  closed', 'It is closed'],
  ])('of %s', (body, words) => expect(said(body)).toBe(words));

  it.each([
    '',
    '{}',
    '[]',
    '<html><body>Bad Gateway</body></html>',
    '{"errors":{"name":[1]}}',
    '{"errors":["<b>x</b>"]}',
  ])('of %p are none', (body) => expect(said(body)).toBeUndefined());

  it('can be stored, whatever characters the platform sends', () => {
    expect(said('{"errors":["no\\u0000t \\ud83d\\udc4d \\ud83d here"]}')).toBe('no t 👍 \ufffd here');
  });

  it('have an end', () => {
    expect(said(JSON.stringify({ errors: ['x'.repeat(10_000)] }))).toHaveLength(500);
    expect(said(JSON.stringify({ errors: [`${'x'.repeat(498)}👍👍`] }))).toBe(`${'x'.repeat(498)}…`);
    expect(said(JSON.stringify({ errors: Array(1_000).fill('y') }))).toBe(Array(20).fill('y').join('; '));
  });
});
