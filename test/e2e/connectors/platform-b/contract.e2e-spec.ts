import { keepsTheContract } from '../../../support/platforms/connector-contract';
import { startLivePlatformB, type LivePlatformB } from '../../../support/live/live-platform-b';

describe.each([true, false])(
  'the live connector of platform_b (custom page of payments: %s)',
  (customPayments) => {
    let live: LivePlatformB;
    beforeAll(async () => {
      live = await startLivePlatformB({}, { customPayments });
    });
    afterAll(() => live.close());

    keepsTheContract(() => ({
      connector: live.connector,
      connection: live.connection,
      entityType: 'payment',
      variant: null,
      platformId: 'a34e74db-53c7-4368-8fe7-bb87c83c7902',
      field: 'comment',
      generated: ['@odata.etag', 'lastModifiedDateTime'],
    }));
  },
);
