import { ExactNumber } from '../../json/exact-number';
import type { JsonObject } from '../../json/json-value';
import { withoutContext } from '../../mapping/codec';
import { mappingOf } from '../registry';
import { inUsd } from '../../testing/canonical.arbitrary';
import { nativeId } from './codecs';

const customer = mappingOf('platform_a', 'customer');
const read = (payload: Parameters<typeof customer.decode>[0]) => customer.decode(payload, inUsd).data.address;
const written = (address: JsonObject | null) => customer.encode({ address }, inUsd);

describe('a street', () => {
  it('is one field with a line break between its lines', () => {
    expect(read({ address: 'a\r\nb\nc' })).toEqual({ line1: 'a', line2: 'b\nc' });
    expect(read({ address: '\nb' })).toEqual({ line1: null, line2: 'b' });
    expect(read({ address: 'a\n' })).toEqual({ line1: 'a', line2: null });
    expect(read({ address: 'a' })).toEqual({ line1: 'a' });
    expect(read({ address: '', city: 'Doha' })).toEqual({ line1: null, city: 'Doha' });
    expect(read({ city: 'Doha' })).toEqual({ city: 'Doha' });
    expect(read({ address: null, city: null })).toBeNull();
  });

  it('is written as it is read, and left alone where nothing is said of it', () => {
    expect(written({ line1: 'a', line2: 'b' }).payload).toEqual({ address: 'a\nb' });
    expect(written({ line1: null, line2: 'b' }).payload).toEqual({ address: '\nb' });
    expect(written({ line2: 'b' }).payload).toEqual({ address: '\nb' });
    expect(written({ line1: 'a' }).payload).toEqual({ address: 'a' });
    expect(written({ line1: '' }).payload).toEqual({ address: null });
    expect(written({ city: '', state: 'DA' }).payload).toEqual({ city: null, state_code: 'DA' });
    expect(written(null).payload).toEqual({
      ...{ address: null, city: null, state_code: null, zip: null, country_code: null },
    });
  });

  it('cannot have a line break in its first line, and is text', () => {
    expect(written({ line1: 'a\nb' }).issues).toMatchObject([
      { problem: expect.stringContaining('line1 holds') },
    ]);
    for (const member of ['address', 'city', 'state_code', 'zip', 'country_code'])
      expect(customer.decode({ [member]: 1 }, inUsd).issues).toEqual([
        expect.objectContaining({ path: member, problem: 'expected a string, received 1' }),
      ]);
  });
});

describe('a native ID', () => {
  it('is an integer or text, and exact', () => {
    const decode = (wire: Parameters<typeof nativeId.decode>[0]) => nativeId.decode(wire, withoutContext);
    expect([7, '7', 'x', null].map(decode)).toEqual(['7', '7', 'x', null]);
    for (const wire of [1.5, 2 ** 53, new ExactNumber('9007199254740993')])
      expect(() => decode(wire)).toThrow('is not an integer within 2^53-1, so its digits may be wrong');
    for (const wire of ['', true, {}, []])
      expect(() => decode(wire)).toThrow(/^expected an integer ID within 2\^53-1/);
  });

  it('is written as an integer where it is one', () => {
    const ids = ['7', '0', '9007199254740991', '9007199254740993', '07', '1e3', 'x', null];
    expect(ids.map((id) => nativeId.encode(id, withoutContext))).toEqual([
      ...[7, 0, 9_007_199_254_740_991, '9007199254740993', '07', '1e3', 'x', null],
    ]);
  });
});

describe('a status of a payment', () => {
  it('is one word in any case', () => {
    const payment = mappingOf('platform_a', 'payment');
    expect(payment.cannotTell('status', 'paid', 'paid', inUsd)).toBe(true);
    expect(payment.decode({ status: ' IN_Review ' }, inUsd).data.status).toBe('in_review');
  });
});
