import { PlatformResponse } from '../live/platform-response';
import { failureOf, isGone } from './odata-failure';

const failure = (status: number, body: string) =>
  failureOf(new PlatformResponse(status, {}, Buffer.from(body)));
const odata = (code: string, message: string): string => JSON.stringify({ error: { code, message } });

describe('a refusal of platform_b', () => {
  it('has the platform’s words, without its correlation ID', () => {
    const message =
      'A "displayName" must be provided.  CorrelationId:  9f2c0000-0000-4000-8000-000000000000.  ';
    expect(failure(400, odata('Application_DialogException', message))).toEqual({
      status: 400,
      code: 'Application_DialogException',
      words: 'A "displayName" must be provided.',
    });
  });

  it('has at most 500 characters', () => {
    expect(failure(400, odata('X', 'a'.repeat(1_000))).words).toHaveLength(500);
  });

  it.each(['<html><body>Bad Gateway</body></html>', 'Bad Gateway', '', '[]', '{"error":"no"}'])(
    'has no words where it is none of the platform’s own: %s',
    (body) => {
      expect(failure(502, body)).toEqual({ status: 502, code: '', words: undefined });
    },
  );

  it('shows no markup', () => {
    expect(failure(400, odata('X', 'See <a href="x">this</a>')).words).toBeUndefined();
  });

  it('says that a record is gone, or that the address leads nowhere', () => {
    expect(isGone(failure(404, odata('Internal_RecordNotFound', 'x')))).toBe(true);
    expect(isGone(failure(400, odata('Internal_RecordNotFound', 'x')))).toBe(true);
    expect(isGone(failure(404, odata('Unknown', 'x')))).toBe(true);
    expect(isGone(failure(404, odata('Internal_CompanyNotFound', 'x')))).toBe(false);
    expect(isGone(failure(404, odata('BadRequest_NotFound', 'x')))).toBe(false);
    expect(isGone(failure(404, odata('Internal_TenantUnavailable', 'x')))).toBe(false);
    expect(isGone(failure(400, odata('BadRequest', 'x')))).toBe(false);
  });

  it.each(['', 'Not Found', '<html><body>404</body></html>', '{}'])(
    'says nothing of a record where it is a gateway’s: %s',
    (body) => {
      expect(isGone(failure(404, body))).toBe(false);
    },
  );
});
