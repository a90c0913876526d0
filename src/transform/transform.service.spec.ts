import { readEnvironment } from '../config/environment';
import { Clock } from '../clock/clock';
import { ApiError } from '../errors/api-error';
import type { TransformDto } from './transform.dto';
import { CANONICAL_VERSION, TransformService } from './transform.service';

class StoppedClock extends Clock {
  override now(): Date {
    return new Date('2026-11-21T10:00:00.789Z');
  }
}

const customer = { id: '8b0f2c1e-7f0d-4d52-9d6b-6f6c2a9f4a11', kind: 'standard' } as const;

function transform(request: Partial<TransformDto>, source: NodeJS.ProcessEnv = {}) {
  const service = new TransformService(readEnvironment(source), new StoppedClock());
  const body = { source: 'platform_a', target: 'platform_b', entity_type: 'payment', data: {}, ...request };
  return service.transform(customer, body as TransformDto, 'req_1');
}

describe('TransformService', () => {
  it('tells what it was asked, when, and under which request', () => {
    expect(transform({ data: { amount: '1.00' } }).metadata).toEqual({
      source: 'platform_a',
      target: 'platform_b',
      entity_type: 'payment',
      canonical_version: CANONICAL_VERSION,
      transformed_at: '2026-11-21T10:00:00.789Z',
      request_id: 'req_1',
    });
  });

  it('takes the service’s currency where nothing else names one', () => {
    const amountIn = (context?: TransformDto['context']) =>
      transform({ data: { amount: '1.125' }, ...(context && { context }) }, { DEFAULT_CURRENCY: 'KWD' })
        .canonical.amount;
    expect(amountIn()).toEqual({ amount: 1125, currency: 'KWD' });
    expect(amountIn({ currency: 'BHD' })).toEqual({ amount: 1125, currency: 'BHD' });
  });

  it.each([
    [{ data: { amount: 'x' } }, 'data.amount'],
    [{ context: { currency: 'x' } }, 'context.currency'],
    [{ entity_type: 'contract' as const }, 'context.commitmentType'],
  ])('refuses %j with 422', (request, path) => {
    expect(() => transform(request)).toThrow(ApiError);
    expect(() => transform(request)).toThrow(
      expect.objectContaining({ type: 'TRANSFORM_ERROR', status: 422 }),
    );
    expect(() => transform(request)).toThrow(path);
  });
});
