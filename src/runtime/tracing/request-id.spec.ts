import { requestIdFrom } from './request-id';

describe('requestIdFrom', () => {
  it.each(['req_01234567', 'req_AbCdEfGh12345678', `req_${'x'.repeat(64)}`])('keeps %s', (header) => {
    expect(requestIdFrom(header)).toBe(header);
  });

  it.each([
    undefined,
    '',
    'req_',
    'req_short',
    'abc',
    `req_${'x'.repeat(65)}`,
    'req_with-dash-0000',
    'REQ_0123456789',
    ' req_0123456789',
    'req_0123456789, req_0123456789',
    'req_0123456789\n',
  ])('replaces %j', (header) => {
    const id = requestIdFrom(header);
    expect(id).not.toBe(header);
    expect(id).toMatch(/^req_[A-Za-z0-9]{16,}$/);
  });
});
