import { declaresJson } from './json-only.middleware';

const declares = (...contentTypes: string[]) =>
  declaresJson({ rawHeaders: contentTypes.flatMap((contentType) => ['Content-Type', contentType]) });

describe('declaresJson', () => {
  it.each([
    'application/json',
    'Application/JSON',
    'application/json; charset=utf-8',
    'application/json;charset="UTF-8"',
    'application/json; charset=utf8',
    'application/json; profile=x',
    ' application/json ',
  ])('takes %j', (contentType) => {
    expect(declares(contentType)).toBe(true);
  });

  it.each([
    '',
    'json',
    'text/json',
    'text/plain',
    'application/jsonp',
    'application/json-patch+json',
    'application/vnd.api+json',
    'application/json, text/html',
    'application/x-www-form-urlencoded',
    'application/json; charset=utf-16',
    'application/json; charset=iso-8859-1',
    '*/*',
  ])('refuses %j', (contentType) => {
    expect(declares(contentType)).toBe(false);
  });

  it('refuses a missing one', () => {
    expect(declares()).toBe(false);
  });

  it('requires each of several content types to be JSON', () => {
    expect(declares('application/json', 'application/json')).toBe(true);
    expect(declares('application/json', 'text/plain')).toBe(false);
    expect(declares('text/plain', 'application/json')).toBe(false);
  });
});
