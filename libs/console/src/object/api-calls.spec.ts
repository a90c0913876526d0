import { apiCallsOf } from './api-calls';

describe('the calls behind an object', () => {
  it('are those of the API and of the client', () => {
    const [object, history] = apiCallsOf('pay_1', undefined);
    expect(object?.path).toBe('/api/v1/objects/pay_1');
    expect(object?.code).toBe("const object = await client.object('pay_1');");
    expect(history?.path).toBe('/api/v1/objects/pay_1/history?limit=50');
  });

  it('are of the time that shows', () => {
    const [object] = apiCallsOf('pay_1', '2026-06-30');
    expect(object?.path).toBe('/api/v1/objects/pay_1?as_of=2026-06-30');
    expect(object?.code).toBe("const object = await client.object('pay_1', { asOf: '2026-06-30' });");
  });

  it('quote what an address may hold', () => {
    const [object] = apiCallsOf(`a'b\\c`, undefined);
    expect(object?.path).toBe("/api/v1/objects/a'b%5Cc");
    expect(object?.code).toBe("const object = await client.object('a\\'b\\\\c');");
  });
});
