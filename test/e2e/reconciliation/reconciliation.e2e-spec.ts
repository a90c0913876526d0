import { ReconciliationService } from '../../../src/reconciliation/reconciliation.service';
import { UnitOfWork } from '../../../src/database/unit-of-work';
import { api } from '../../support/api';
import { startApp, type RunningApp } from '../../support/app';
import { Test } from '@nestjs/testing';

describe('what reconciling leaves for people to decide', () => {
  let app: RunningApp;
  let reconciliation: ReconciliationService;

  beforeAll(async () => {
    app = await startApp();
    const module = await Test.createTestingModule({
      providers: [
        ReconciliationService,
        { provide: UnitOfWork, useValue: app.app.get(UnitOfWork, { strict: false }) },
      ],
    }).compile();
    reconciliation = module.get(ReconciliationService);
  });
  afterAll(() => app.close());

  it('finds a disagreement that only one platform knows of, and none in amounts that are equal at the rate', async () => {
    const { key, customerId } = await app.openSession();
    const client = api(app.url, key);
    await client.post('/connect', { platform: 'platform_b' });
    // Changed while the other platform is not connected, so it is not told.
    const changed = await client.post('/propagate', {
      format: 'platform',
      platform: 'platform_b',
      platform_id: 'a34e74db-53c7-4368-8fe7-bb87c83c7902',
      entity_type: 'payment',
      data: { comment: 'Second thoughts' },
    });
    expect(changed.status).toBe(200);
    await client.post('/connect', { platform: 'platform_a' });

    const findings = await reconciliation.list(customerId);
    const about = findings.filter(
      ({ platform_id }) => platform_id === 'a34e74db-53c7-4368-8fe7-bb87c83c7902',
    );
    expect(about).toEqual([
      {
        kind: 'disagreement',
        entity_type: 'payment',
        canonical_id: changed.body.data.canonical.id,
        platform: 'platform_b',
        platform_id: 'a34e74db-53c7-4368-8fe7-bb87c83c7902',
        field: 'notes',
        detail: 'platform_a says "Substructure progress payment #1", platform_b says "Second thoughts"',
      },
    ]);
    expect(findings.filter(({ field }) => field === 'amount')).toEqual([]);
    expect(findings.filter(({ kind }) => kind === 'unreadable')).toEqual([]);
  });
});
