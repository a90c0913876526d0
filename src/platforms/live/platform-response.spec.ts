import { PlatformResponse } from './platform-response';

describe('PlatformResponse', () => {
  const outcomeOf = (body: string | Buffer) => new PlatformResponse(200, {}, Buffer.from(body)).json();

  it.each([
    ['', 'empty'],
    [' \r\n', 'empty'],
    ['<html><body>Bad gateway</body></html>', 'html'],
    ['\n<!DOCTYPE html>', 'html'],
    ['{"value":[{"id":1', 'cut'],
    ['[{"id":1},', 'cut'],
    ['{"id":1,}', 'malformed'],
    ['Bad gateway', 'malformed'],
    [Buffer.from([0x22, 0xff, 0x22]), 'not_utf8'],
  ])('says what %p is instead of JSON', (body, problem) => {
    expect(outcomeOf(body)).toEqual({ kind: 'not_json', problem });
  });

  it('parses once', () => {
    const response = new PlatformResponse(200, {}, Buffer.from('\uFEFF{"a":null}'));
    expect(response.json()).toEqual({ kind: 'json', value: { a: null } });
    expect(response.json()).toBe(response.json());
  });
});
