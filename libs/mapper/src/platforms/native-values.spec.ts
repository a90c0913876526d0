import { ExactNumber } from '../json/exact-number';
import type { JsonObject, JsonValue } from '../json/json-value';
import { attempt, type ValueContext } from '../mapping/codec';
import { textCodec } from '../mapping/codecs/text';
import { inUsd } from '../testing/canonical.arbitrary';
import { nativeId } from './platform_a/codecs';
import { decodeName, guid } from './platform_b/codecs';
import { isPlatformName, mappingOf, platformNames, variantNameFor, variantsOf } from './index';

const context: ValueContext = { currency: 'USD', localCurrency: 'USD' };

describe('an ID of platform_a', () => {
  it.each<[JsonValue, string | null]>([
    [598_134_325_841_112, '598134325841112'],
    [9_007_199_254_740_991, '9007199254740991'],
    ['8712345', '8712345'],
    ['9007199254740993', '9007199254740993'],
    ['5f0b3c9e-2a0f-4a38-9d5e-3a1f0f3f3c11', '5f0b3c9e-2a0f-4a38-9d5e-3a1f0f3f3c11'],
    [null, null],
  ])('%j is %j', (wire, id) => {
    expect(nativeId.decode(wire, context)).toBe(id);
  });

  it.each<[string, JsonValue]>([
    ['8712345', 8_712_345],
    ['9007199254740991', 9_007_199_254_740_991],
    ['9007199254740992', '9007199254740992'],
    ['9007199254740993', '9007199254740993'],
    ['007', '007'],
    ['5f0b3c9e', '5f0b3c9e'],
  ])('%s is written as %j', (id, wire) => {
    expect(nativeId.encode(id, context)).toBe(wire);
    expect(nativeId.decode(wire, context)).toBe(id);
  });

  it.each<JsonValue>([2 ** 53, 1.5, new ExactNumber('9007199254740993'), '', true, [], {}])(
    'is not %j',
    (wire) => {
      expect(attempt(() => nativeId.decode(wire, context))).toHaveProperty('problem');
    },
  );
});

describe('an ID of platform_b', () => {
  it('is a GUID in lower case, and none when it is all zeros', () => {
    expect(guid.decode('F2A5738A-44E3-EA11-BB43-000D3A2FECA1', context)).toBe(
      'f2a5738a-44e3-ea11-bb43-000d3a2feca1',
    );
    expect(guid.decode('00000000-0000-0000-0000-000000000000', context)).toBeNull();
    expect(guid.decode('', context)).toBeNull();
    expect(guid.encode(null, context)).toBe('00000000-0000-0000-0000-000000000000');
    expect(attempt(() => guid.decode(5, context))).toHaveProperty('problem', 'expected a GUID, received 5');
  });
});

describe('a name of platform_b', () => {
  it.each([
    ['In_x0020_Review', 'In Review'],
    ['G_x002F_L_x0020_Account', 'G/L Account'],
    ['Positive_x0020_Adjmt_x002E_', 'Positive Adjmt.'],
    ['_x0020_', ' '],
    ['Open', 'Open'],
    ['_x00', '_x00'],
  ])('%s means "%s"', (wire, name) => {
    expect(decodeName(wire)).toBe(name);
  });
});

describe('text', () => {
  const onA = textCodec({ blank: null });
  const code = textCodec({ blank: '', longest: 5, folded: true });

  it('that is empty reads as nothing', () => {
    expect(onA.decode('', context)).toBeNull();
    expect(onA.encode(null, context)).toBeNull();
    expect(code.encode(null, context)).toBe('');
  });

  it('is a string and nothing else', () => {
    for (const wire of [5, true, [], {}])
      expect(attempt(() => onA.decode(wire, context))).toHaveProperty('problem');
  });

  it('as a code is trimmed and put in upper case, and never cut', () => {
    expect(code.encode(' sc-1 ', context)).toBe('SC-1');
    expect(attempt(() => code.encode('sc-001', context))).toHaveProperty(
      'problem',
      'is longer than the 5 characters the platform takes',
    );
    expect(code.decode('sc-001', context)).toBe('sc-001');
  });
});

describe('an address', () => {
  const onA = mappingOf('platform_a', 'customer');
  const onB = mappingOf('platform_b', 'customer');
  const acrossToB = (payload: JsonObject) => onB.encode(onA.decode(payload, inUsd).data, inUsd).payload;
  const acrossToA = (payload: JsonObject) => onA.encode(onB.decode(payload, inUsd).data, inUsd).payload;

  it('has its street in one field there and two here', () => {
    expect(acrossToB({ address: 'Building 47\nZone 57', city: 'Doha' })).toEqual({
      addressLine1: 'Building 47',
      addressLine2: 'Zone 57',
      city: 'Doha',
    });
    expect(acrossToB({ address: 'Building 47\r\nZone 57\nFloor 2' })).toMatchObject({
      addressLine1: 'Building 47',
      addressLine2: 'Zone 57\nFloor 2',
    });
    expect(acrossToA({ addressLine1: 'Building 47', addressLine2: 'Zone 57', country: 'QA' })).toEqual({
      address: 'Building 47\nZone 57',
      country_code: 'QA',
    });
    expect(acrossToA({ addressLine1: 'Building 47', addressLine2: '' })).toEqual({ address: 'Building 47' });
  });

  it('with a street of one line here has no second line there', () => {
    expect(acrossToB({ address: 'Building 47', city: 'Doha' })).toEqual({
      addressLine1: 'Building 47',
      addressLine2: '',
      city: 'Doha',
    });
    expect(acrossToB({ city: 'Doha' })).toEqual({ city: 'Doha' });
  });

  it('has its country in upper case there, which is no other country', () => {
    const [lower, upper] = ['qa', 'QA'].map((country) => ({ city: 'Doha', country }));
    expect(acrossToB({ city: 'Doha', country_code: 'qa' })).toEqual({ city: 'Doha', country: 'QA' });
    expect(onB.cannotTell('address', lower ?? null, upper ?? null, inUsd)).toBe(true);
    expect(onA.cannotTell('address', lower ?? null, upper ?? null, inUsd)).toBe(false);
    expect(onB.decode({ country: 'qa' }, inUsd)).toMatchObject({
      data: { address: { country: 'qa' } },
      residue: { literals: { country: 'qa' } },
    });
  });

  it('without any part is none', () => {
    expect(onA.decode({ address: '', city: null }, inUsd).data).toEqual({ address: null });
    expect(onB.decode({ addressLine1: '', city: '' }, inUsd).data).toEqual({ address: null });
    expect(onA.decode({}, inUsd).data).toEqual({});
  });
});

describe('a line of platform_b', () => {
  const order = mappingOf('platform_b', 'contract');

  it.each([
    [10_000, 1],
    [20_000, 2],
    [0, 0],
    [15_000, 15_000],
  ])('numbered %d is at position %d', (sequence, position) => {
    const { data, residue } = order.decode({ salesOrderLines: [{ sequence }] }, inUsd);
    expect(data.lines).toEqual([{ position }]);
    expect(order.encode(data, { ...inUsd, residue }).payload).toEqual({ salesOrderLines: [{ sequence }] });
  });

  it('has no number beyond what JSON carries', () => {
    expect(order.encode({ lines: [{ position: 9_007_199_254_740_991 }] }, inUsd).issues).toEqual([
      {
        path: 'lines',
        problem: 'line 1, position: 9007199254740991 is beyond the line numbers of platform_b',
      },
    ]);
  });
});

describe('dates that follow from others', () => {
  const changeOrder = mappingOf('platform_a', 'change_order');

  it('are a change order’s own and its approval’s', () => {
    const payload = { created_at: '2025-09-20T11:00:00Z', reviewed_at: '2025-10-03T15:00:00Z' };
    expect(changeOrder.decode({ ...payload, status: 'approved' }, inUsd).data).toMatchObject({
      document_date: '2025-09-20',
      approved_on: '2025-10-03',
    });
    expect(changeOrder.decode({ ...payload, status: 'rejected' }, inUsd).data).not.toHaveProperty(
      'approved_on',
    );
  });

  it('are never written', () => {
    expect(
      changeOrder.encode({ document_date: '2025-09-20', approved_on: '2025-10-03' }, inUsd).payload,
    ).toEqual({});
  });
});

describe('a net amount', () => {
  const invoice = mappingOf('platform_a', 'invoice');
  const net = (summary: JsonObject) => invoice.decode({ summary }, inUsd).data.net_amount;

  it('is what is payable without the tax in it', () => {
    expect(net({ current_payment_due: '105.00', tax_applicable_to_this_payment: '5.00' })).toEqual({
      amount: 10_000,
      currency: 'USD',
    });
    expect(net({ current_payment_due: '105.00' })).toBeUndefined();
    expect(net({ current_payment_due: null, tax_applicable_to_this_payment: '5.00' })).toBeUndefined();
    expect(
      net({ current_payment_due: '-90071992547409.91', tax_applicable_to_this_payment: '90071992547409.91' }),
    ).toBeUndefined();
  });
});

describe('the platforms', () => {
  it('are known by name, in order of precedence', () => {
    expect(platformNames).toEqual(['platform_a', 'platform_b']);
    expect(['platform_a', 'platform_c', 'toString', ''].map(isPlatformName)).toEqual([
      true,
      false,
      false,
      false,
    ]);
  });

  it('have a variant where one type is several resources', () => {
    expect(Object.keys(variantsOf('platform_a', 'contract')?.variants ?? {})).toEqual([
      'WorkOrderContract',
      'PurchaseOrderContract',
    ]);
    expect(variantsOf('platform_b', 'contract')).toBeUndefined();
    expect(variantNameFor('platform_a', 'contract', { kind: 'purchase_order' })).toBe(
      'PurchaseOrderContract',
    );
    expect(variantNameFor('platform_a', 'contract', { kind: 'toString' })).toBe('WorkOrderContract');
    expect(variantNameFor('platform_a', 'payment', {})).toBeUndefined();
    expect(mappingOf('platform_a', 'contract', { data: { kind: 'purchase_order' } }).resource.name).toBe(
      'purchase_order_contracts',
    );
    expect(mappingOf('platform_a', 'contract').resource.name).toBe('work_order_contracts');
    expect(() => mappingOf('platform_a', 'contract', { variant: 'toString' })).toThrow(RangeError);
  });
});
