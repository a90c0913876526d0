import { Metrics } from '../metrics/metrics';
import { spanReport } from './span-log';

describe('spanReport', () => {
  const begin = () => {
    const lines: [string, object, string][] = [];
    const metrics = new Metrics();
    const logger = {
      info: (line: object, message: string) => void lines.push(['info', line, message]),
      warn: (line: object, message: string) => void lines.push(['warn', line, message]),
    };
    // The report uses no other method.
    return { lines, metrics, report: spanReport(logger as Parameters<typeof spanReport>[0], metrics) };
  };

  it('logs nothing while all goes well', () => {
    const { lines, report } = begin();
    report('exported', 3);
    report('exported', 2);
    expect(lines).toEqual([]);
  });

  it('logs once that spans are lost and once that they are sent again, and counts all', async () => {
    const { lines, metrics, report } = begin();
    report('export_failed', 3, new Error('Refused'));
    report('export_failed', 2, new Error('Refused'));
    report('queue_full', 1);
    report('exported', 4);
    report('exported', 5);
    report('queue_full', 1);
    expect(lines.map(([level, , message]) => [level, message])).toEqual([
      ['warn', 'Spans are being lost'],
      ['info', 'Spans are sent again'],
      ['warn', 'Spans are being lost'],
    ]);
    const { values } = (await metrics.registry.getSingleMetric('translation_spans_total')?.get()) ?? {};
    expect(values?.map(({ labels, value }) => [labels['outcome'], value])).toEqual([
      ['export_failed', 5],
      ['queue_full', 2],
      ['exported', 9],
    ]);
  });

  it('shows of a refusal its status, and nothing of the body', () => {
    const { lines, report } = begin();
    report('export_failed', 1, Object.assign(new Error('Bad Request'), { code: 400, data: 'what was sent' }));
    const [[, line]] = lines as [[string, { readonly err: Error }, string]];
    expect(line.err.message).toBe('Bad Request (400)');
    expect(Object.keys(line.err)).toEqual([]);
  });
});
