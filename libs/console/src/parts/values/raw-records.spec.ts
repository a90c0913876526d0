import { rawRecords } from './raw-records';

describe('rawRecords', () => {
  it('has numbers as they were sent', () => {
    const answer =
      '{"data":{"canonical_id":"pay_1","records":[{"platform":"platform_b","platform_id":"7","platform_data":{"amount":90071992547409.91,"rate":1.10,"id":1234567890123456789}}]}}';
    expect(rawRecords(answer)).toEqual([
      {
        platform: 'platform_b',
        platformId: '7',
        deletedAt: undefined,
        text: '{\n  "amount": 90071992547409.91,\n  "rate": 1.10,\n  "id": 1234567890123456789\n}',
      },
    ]);
  });

  it('has none of another answer', () => {
    expect(rawRecords('{"data":[]}')).toEqual([]);
  });
});
