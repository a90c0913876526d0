import { generatedPortfolio, type RunningPlatformA } from '@app/simulated-platforms';
import { storedEntityTypes, stringifyJson, valueAt, type JsonObject } from '@app/mapper';
import { startLiveService, startUnlimited, type LiveService } from '../../support/live-platform-a';

jest.setTimeout(180_000);

const never = new AbortController().signal;

describe('a first load of 1,000 contracts', () => {
  let service: LiveService;
  let platform: RunningPlatformA;
  beforeAll(async () => {
    service = await startLiveService();
    const { platform_a: portfolio } = generatedPortfolio({ contracts: 1_000, seed: 7 });
    platform = await startUnlimited({ portfolio });
  });
  afterAll(async () => {
    await platform.close();
    await service.close();
    expect(platform.control.defects).toEqual([]);
  });

  it('takes hardly more calls than it must, and brings every record once', async () => {
    const caller = await service.openLive(platform);
    const ids = new Map<string, string[]>();
    for (const entityType of storedEntityTypes) {
      const seen: string[] = [];
      for await (const page of service.connector.read(caller.connection, { entityType }, null, never)) {
        seen.push(...page.records.map(({ payload }) => stringifyJson(payload['id'])));
        if (page.next === null) expect(page).toMatchObject({ complete: true });
      }
      ids.set(entityType, seen);
    }
    const kinds = {
      project: ['projects'],
      customer: ['vendors'],
      contract: ['work_order_contracts', 'purchase_order_contracts'],
      invoice: ['requisitions'],
      payment: ['contract_payments'],
    } as const;
    for (const entityType of storedEntityTypes) {
      const there = kinds[entityType].flatMap((kind) => platform.control.records(kind));
      expect([...(ids.get(entityType) ?? [])].sort()).toEqual(
        there.map(({ id }) => stringifyJson(id)).sort(),
      );
    }
    // Once for the vendors, once for the contracts that name them, however many of these are read at once.
    const ofVendors = platform.control.log.list(/ \/rest\/v1\.0\/(vendors|companies\/\d+\/vendors)/).length;
    expect(ofVendors).toBeLessThanOrEqual(2 * leastOfVendors(platform));
    const calls = platform.control.log.list(/ \/rest\//).length;
    const least = leastCalls(platform);
    expect(calls).toBeGreaterThan(least * 0.98);
    expect(calls).toBeLessThanOrEqual(least * 1.1);
  });
});

const pages = (rows: number, size = 100) => Math.max(1, Math.ceil(rows / size));

function leastOfVendors({ control }: RunningPlatformA): number {
  const vendors = control.records('vendors');
  const active = vendors.filter((row) => row['is_active'] !== false).length;
  return pages(active) + pages(vendors.length - active);
}

/** The fewest calls by which all of it can be had: each list once, in full pages, and what lists do not show. */
function leastCalls(platform: RunningPlatformA): number {
  const { control } = platform;
  const countBy = (rows: readonly JsonObject[], path: string) => {
    const counts = new Map<string, number>();
    for (const row of rows) {
      const key = stringifyJson(valueAt(row, path.split('.')));
      counts.set(key, (counts.get(key) ?? 0) + 1);
    }
    return counts;
  };
  const projects = control.records('projects');
  const kinds = [
    control.records('work_order_contracts'),
    control.records('purchase_order_contracts'),
  ] as const;
  const perProject = [...kinds, control.records('requisitions')].map((rows, place) =>
    countBy(rows, place < 2 ? 'project.id' : 'project_id'),
  );
  const directories = countBy(control.records('project_vendors'), 'project_id');
  const payments = countBy(control.records('contract_payments'), 'contract_id');
  let calls = pages(projects.length, 300) + leastOfVendors(platform);
  for (const project of projects) {
    const id = stringifyJson(project['id']);
    const [workOrders = 0, purchaseOrders = 0, requisitions = 0] = perProject.map(
      (counts) => counts.get(id) ?? 0,
    );
    calls += pages(workOrders) + pages(purchaseOrders) + pages(requisitions);
    // Items are in a view of their own; vendors are named by the project's directory, where there is a contract.
    calls += requisitions === 0 ? 0 : pages(requisitions);
    calls += workOrders + purchaseOrders === 0 ? 0 : pages(directories.get(id) ?? 0);
  }
  for (const contract of kinds.flat()) {
    // Lines, and payments.
    calls += pages(((contract['line_items'] ?? []) as readonly JsonObject[]).length);
    calls += pages(payments.get(stringifyJson(contract['id'])) ?? 0);
  }
  return calls;
}
