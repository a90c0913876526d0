import { SandboxConnector } from '../../../src/platforms/sandbox/sandbox.connector';
import { startApp, type Caller, type RunningApp } from '../../support/app/app';
import { keepsTheContract } from '../../support/platforms/connector-contract';

describe.each([
  ['platform_a', '1823456', 'notes', ['updated_at']],
  ['platform_b', 'a34e74db-53c7-4368-8fe7-bb87c83c7902', 'comment', ['@odata.etag', 'lastModifiedDateTime']],
] as const)('the sandbox of %s', (platform, platformId, field, generated) => {
  let app: RunningApp;
  let caller: Caller;
  beforeAll(async () => {
    app = await startApp();
    caller = await app.openSession();
  });
  afterAll(() => app.close());

  keepsTheContract(() => ({
    connector: app.app.get(SandboxConnector, { strict: false }),
    connection: { customerId: caller.customerId, platform, mode: 'sandbox' },
    entityType: 'payment',
    variant: null,
    platformId,
    field,
    generated,
  }));
});
