import { createHash } from 'node:crypto';
import { platformNames } from '@app/mapper';
import { behaviourOf } from '@app/behaviour';
import { readIncoming, storableId } from './incoming-record';
import { digestOf, READING_VERSION } from './record-digest';

const samples = platformNames.flatMap((platform) =>
  behaviourOf(platform)
    .portfolio()
    .map((source) => ({ platform, source: source })),
);

describe('digestOf', () => {
  it('distinguishes texts, variants and currencies', () => {
    const digests = [
      digestOf('USD', null, '{"id":1}'),
      digestOf('USD', null, '{"id":1.0}'),
      digestOf('QAR', null, '{"id":1}'),
      digestOf('USD', 'Other', '{"id":1}'),
    ];
    expect(new Set(digests).size).toBe(digests.length);
    expect(digestOf('USD', null, '{"id":1}')).toBe(digests[0]);
    for (const digest of digests) expect(digest).toMatch(/^[\w+/]{22}$/);
  });

  // Stored digests stand for the columns of this version. Where the columns of the samples differ for another reason than
  // the samples themselves, raise READING_VERSION, so that every record is read again; then pin the new value here.
  it('has a version that is raised when the columns of a record change', () => {
    const columns = samples.map(({ platform, source }) => {
      const { record } = readIncoming(platform, 'USD', source);
      return { ...record, digest: undefined };
    });
    const seen = createHash('sha256').update(JSON.stringify(columns)).digest('hex').slice(0, 16);
    expect([READING_VERSION, seen]).toEqual([4, 'f52ac42d14a1f3d1']);
  });
});

describe('storableId', () => {
  it('is the ID that reading the record finds', () => {
    const odd = [
      1,
      '7',
      'x',
      '',
      ' 8 ',
      0.5,
      null,
      true,
      {},
      [],
      '\u0000',
      '\ud800',
      2 ** 53,
      'x'.repeat(201),
    ];
    const records = [
      ...samples,
      ...samples
        .slice(0, 1)
        .concat(samples.slice(-1))
        .flatMap(({ platform, source }) =>
          odd.map((id) => ({ platform, source: { ...source, payload: { ...source.payload, id } } })),
        ),
    ];
    for (const { platform, source } of records) {
      expect(storableId(platform, source)).toBe(readIncoming(platform, 'USD', source).record?.platform_id);
    }
  });
});
