import { generatedPortfolio, type RunningPlatformA } from '@app/simulators';
import {
  storedEntityTypes,
  stringifyJson,
  valueAt,
  type JsonObject,
  type StoredEntityType,
} from '@app/mapper';
import type { Checkpoint } from '../../../src/platforms/connector';
import { startUnlimited, type LiveService } from './live-platform-a';
import { never } from '../this-process/never';

/** So many contracts in so many projects, evenly. */
export interface Shape {
  readonly contracts: number;
  readonly projects: number;
}

/** What reading all of a platform_a took. */
export interface FirstLoad {
  readonly calls: number;
  /** The fewest by which all of it can be had. */
  readonly least: number;
}

/** Reads all of a generated portfolio, one type after another as a run does, and sees that every record comes once. */
export async function firstLoad(service: LiveService, shape: Shape): Promise<FirstLoad> {
  const { platform_a: portfolio } = generatedPortfolio({ ...shape, seed: 7 });
  const platform = await startUnlimited({ portfolio });
  try {
    const { connection } = await service.openLive(platform);
    const already = new Map<StoredEntityType, Checkpoint>();
    for (const entityType of storedEntityTypes) {
      const seen: string[] = [];
      for await (const page of service.connector.read(connection, { entityType, already }, null, never)) {
        seen.push(...page.records.map(({ payload }) => stringifyJson(payload['id'])));
        if (page.next === null) expect(page).toMatchObject({ complete: true });
        if (page.cursor !== undefined) already.set(entityType, page.cursor);
      }
      const there = kinds[entityType].flatMap((kind) => platform.control.records(kind));
      expect(seen.sort()).toEqual(there.map(({ id }) => stringifyJson(id)).sort());
    }
    const { log } = platform.control;
    // Once for the vendors, once for the contracts that name them, however many of these are read at once.
    const ofVendors = log.list(/ \/rest\/v1\.0\/(vendors|companies\/\d+\/vendors)/).length;
    expect(ofVendors).toBeLessThanOrEqual(2 * leastOfVendors(platform));
    return { calls: log.list(/ \/rest\//).length, least: leastCalls(platform) };
  } finally {
    await platform.close();
    expect(platform.control.defects).toEqual([]);
  }
}

const kinds = {
  project: ['projects'],
  customer: ['vendors'],
  contract: ['work_order_contracts', 'purchase_order_contracts'],
  invoice: ['requisitions'],
  payment: ['contract_payments'],
} as const;

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
  const ofKinds = [
    control.records('work_order_contracts'),
    control.records('purchase_order_contracts'),
  ] as const;
  const perProject = [...ofKinds, control.records('requisitions')].map((rows, place) =>
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
  for (const contract of ofKinds.flat()) {
    // Lines, and payments.
    calls += pages(((contract['line_items'] ?? []) as readonly JsonObject[]).length);
    calls += pages(payments.get(stringifyJson(contract['id'])) ?? 0);
  }
  return calls;
}
