import { ExportResultCode, type ExportResult } from '@opentelemetry/core';
import { TracerProvider, type ReadableSpan } from '@opentelemetry/sdk-trace';
import { fc } from '../../../libs/mapper/src/testing/property';
import { MOST_SPANS, SpanQueue } from './span-queue';

const failed: ExportResult = { code: ExportResultCode.FAILED, error: new Error('No') };
const taken: ExportResult = { code: ExportResultCode.SUCCESS };

/** A queue in front of a collector that answers when it is told to. */
function begin() {
  const underWay: { spans: number; done: (result: ExportResult) => void }[] = [];
  const counts = { exported: 0, queue_full: 0, export_failed: 0 };
  const queue = new SpanQueue(
    {
      export: (spans: ReadableSpan[], done) => void underWay.push({ spans: spans.length, done }),
      shutdown: () => Promise.resolve(),
    },
    (outcome, spans) => void (counts[outcome] += spans),
  );
  const tracer = new TracerProvider({ spanProcessors: [queue] }).getTracer('test');
  /** Answers what is under way; the processor begins the next batch when its promise has settled. */
  const answer = async (result: ExportResult): Promise<void> => {
    underWay.shift()?.done(result);
    await new Promise(setImmediate);
  };
  return {
    queue,
    counts,
    underWay,
    answer,
    /** Otherwise the processor's timers keep Jest from ending. */
    empty: async (): Promise<void> => {
      while (underWay.length > 0) await answer(taken);
    },
    end: (spans: number): void => {
      for (let each = 0; each < spans; each++) tracer.startSpan('work').end();
    },
  };
}

describe('SpanQueue', () => {
  it('holds no more spans than it may while the collector does not answer, and counts the others', async () => {
    const { queue, counts, underWay, end, empty } = begin();
    end(3_000);
    expect(queue.size).toBe(MOST_SPANS);
    expect(counts).toEqual({ exported: 0, queue_full: 3_000 - MOST_SPANS, export_failed: 0 });
    expect(underWay).toHaveLength(1);
    await empty();
  });

  it('gives back the places of spans that cannot be encoded', async () => {
    let lost = 0;
    const broken = {
      export: () => {
        throw new TypeError('No');
      },
      shutdown: () => Promise.resolve(),
    };
    const queue = new SpanQueue(
      broken,
      (outcome, spans) => void (lost += outcome === 'export_failed' ? spans : 0),
    );
    const tracer = new TracerProvider({ spanProcessors: [queue] }).getTracer('test');
    for (let each = 0; each < 3; each++) tracer.startSpan('work').end();
    await queue.forceFlush().catch(() => undefined);
    expect([queue.size, lost]).toEqual([0, 3]);
  });

  it('counts every span once, whatever the collector does', async () => {
    const steps = fc.array(fc.oneof(fc.nat(900), fc.constantFrom(taken, failed)), { maxLength: 20 });
    await fc.assert(
      fc.asyncProperty(steps, async (some) => {
        const { queue, counts, answer, end, empty } = begin();
        let ended = 0;
        for (const step of some) {
          if (typeof step === 'number') {
            end(step);
            ended += step;
          } else {
            await answer(step);
          }
          const { exported, queue_full, export_failed } = counts;
          expect(exported + queue_full + export_failed + queue.size).toBe(ended);
          expect(queue.size).toBeLessThanOrEqual(MOST_SPANS);
        }
        await empty();
      }),
    );
  });
});
