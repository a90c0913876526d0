import type { UnitOfWork } from '../../database/transaction/unit-of-work';
import type { Connector } from '../../platforms/connector';
import type { Connectors } from '../../platforms/connectors';
import type { CursorsRepository } from '../reading/cursors.repository';
import { ConnectionChecks } from './connection-checks';

const name = { customerId: '8b0f2c1e-7f0d-4d52-9d6b-6f6c2a9f4a11', platform: 'platform_a' } as const;

/** Checks of a live connection whose platform takes what is asked and says nothing until the caller gives up. */
function checksOfSilentPlatform(): ConnectionChecks {
  const silent = (_connection: unknown, second: unknown, third?: unknown): Promise<never> =>
    new Promise((_resolve, reject) => {
      const signal = [second, third].find((one) => one instanceof AbortSignal);
      signal?.addEventListener('abort', () => reject(signal.reason as Error));
    });
  const connector = { test: silent, budget: silent } as unknown as Connector; // Nothing else is asked.
  const unitOfWork = {
    runFor: () =>
      Promise.resolve({ ...name, mode: 'live', connection: { ...name, mode: 'live' }, cursors: new Map() }),
  } as unknown as UnitOfWork; // The connection is read with it, and the cursors.
  const connectors = { connectorFor: () => connector } as unknown as Connectors;
  return new ConnectionChecks(unitOfWork, {} as CursorsRepository, connectors);
}

describe('a platform that does not answer within the minute', () => {
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());

  it('is said to have given no answer, where a connection is tested', async () => {
    const tested = checksOfSilentPlatform().test(name);
    await jest.advanceTimersByTimeAsync(60_000);
    expect(await tested).toEqual({
      ok: false,
      message: 'platform_a did not answer within a minute: it is away or slow, or its limits are used up',
    });
  });

  it('is said to have given no answer, where a reading is estimated', async () => {
    const estimated = expect(checksOfSilentPlatform().estimate(name, true)).rejects.toMatchObject({
      type: 'EXTERNAL_SERVICE_ERROR',
      message: 'platform_a did not answer within a minute: it is away or slow, or its limits are used up',
    });
    await jest.advanceTimersByTimeAsync(60_000);
    await estimated;
  });
});
