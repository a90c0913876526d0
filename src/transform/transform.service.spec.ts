import { readEnvironment } from '../runtime/config/environment';
import { Clock } from '../runtime/clock/clock';
import { ApiError } from '../common/errors/api-error';
import { EventLoopScheduler } from '../runtime/fairness/event-loop-scheduler';
import type { TransformDto } from './transform.dto';
import { CANONICAL_VERSION, TransformService } from './transform.service';

class StoppedClock extends Clock {
  override now(): Date {
    return new Date('2026-11-21T10:00:00.789Z');
  }
}

const customer = { id: '8b0f2c1e-7f0d-4d52-9d6b-6f6c2a9f4a11', kind: 'standard' } as const;

function transform(request: Partial<TransformDto>, source: NodeJS.ProcessEnv = {}) {
  const service = new TransformService(
    readEnvironment(source),
    new StoppedClock(),
    new EventLoopScheduler(),
    { find: () => Promise.resolve(undefined) },
  );
  const body = { source: 'platform_a', target: 'platform_b', entity_type: 'payment', data: {}, ...request };
  return service.transform(customer, body as TransformDto, 'req_1');
}

describe('TransformService', () => {
  it('says what it was asked, when, and under which request', async () => {
    expect((await transform({ data: { amount: '1.00' } })).metadata).toEqual({
      source: 'platform_a',
      target: 'platform_b',
      entity_type: 'payment',
      canonical_version: CANONICAL_VERSION,
      transformed_at: '2026-11-21T10:00:00.789Z',
      request_id: 'req_1',
    });
  });

  it('takes the service’s currency where nothing else names one', async () => {
    const amountIn = async (context?: TransformDto['context']) => {
      const request = { data: { amount: '1.125' }, ...(context && { context }) };
      return (await transform(request, { DEFAULT_CURRENCY: 'KWD' })).canonical.amount;
    };
    expect(await amountIn()).toEqual({ amount: 1125, currency: 'KWD' });
    expect(await amountIn({ currency: 'BHD' })).toEqual({ amount: 1125, currency: 'BHD' });
  });

  it.each([
    [{ data: { amount: 'x' } }, 'data.amount'],
    [{ context: { currency: 'x' } }, 'context.currency'],
    [{ entity_type: 'contract' as const }, 'context.commitmentType'],
  ])('refuses %j with 422', async (request, path) => {
    await expect(transform(request)).rejects.toBeInstanceOf(ApiError);
    await expect(transform(request)).rejects.toMatchObject({ type: 'TRANSFORM_ERROR', status: 422 });
    await expect(transform(request)).rejects.toThrow(path);
  });

  it('lets others have their turn while it translates a record of many lines', async () => {
    // Each look at the clock finds that the work has taken too long.
    let elapsed = 0;
    const clock = jest.spyOn(performance, 'now').mockImplementation(() => (elapsed += 1000));
    const line_items = Array.from({ length: 100 }, () => ({
      position: 1,
      description: 'Piling',
      quantity: '1.0',
      amount: '1.00',
    }));
    let turns = 0;
    const count = () => {
      turns += 1;
      bystander = setImmediate(count);
    };
    let bystander = setImmediate(count);
    const { canonical } = await transform({
      entity_type: 'contract',
      data: { line_items },
      context: { commitmentType: 'WorkOrderContract' },
    });
    clearImmediate(bystander);
    clock.mockRestore();
    expect(canonical.lines).toHaveLength(100);
    expect(turns).toBeGreaterThanOrEqual(2);
  });
});
