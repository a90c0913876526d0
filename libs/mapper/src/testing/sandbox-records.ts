import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { EntityType } from '../canonical/entity-type';
import { parseJsonText } from '../json/json-text';
import { isJsonArray, isJsonObject, type JsonObject } from '../json/json-value';
import type { PlatformName } from '../platforms';
import { allMappings, type NamedMapping } from './all-mappings';

/** A record of the sandbox data set, with the mapping it is read by. */
export interface SandboxRecord {
  readonly name: string;
  readonly named: NamedMapping;
  readonly payload: JsonObject;
}

interface Resource {
  readonly platform: PlatformName;
  readonly entityType: EntityType;
  readonly variant?: string;
}

/** What the files of the data set hold, by folder and name. */
const resources: Readonly<Record<string, Resource>> = {
  'platform_a/projects': { platform: 'platform_a', entityType: 'project' },
  'platform_a/vendors': { platform: 'platform_a', entityType: 'customer' },
  'platform_a/work_order_contracts': {
    platform: 'platform_a',
    entityType: 'contract',
    variant: 'WorkOrderContract',
  },
  'platform_a/purchase_order_contracts': {
    platform: 'platform_a',
    entityType: 'contract',
    variant: 'PurchaseOrderContract',
  },
  'platform_a/requisitions': { platform: 'platform_a', entityType: 'invoice' },
  'platform_a/contract_payments': { platform: 'platform_a', entityType: 'payment' },
  'platform_b/projects': { platform: 'platform_b', entityType: 'project' },
  'platform_b/customers': { platform: 'platform_b', entityType: 'customer' },
  'platform_b/sales_orders': { platform: 'platform_b', entityType: 'contract' },
  'platform_b/sales_invoices': { platform: 'platform_b', entityType: 'invoice' },
  'platform_b/customer_payments': { platform: 'platform_b', entityType: 'payment' },
};

// The data set belongs to `libs/behaviour`, not to this library; the library is only proved on it.
const folder = join(__dirname, '../../../behaviour/src');

/** Every record of the sandbox data set. */
export const sandboxRecords: readonly SandboxRecord[] = Object.entries(resources).flatMap(
  ([file, resource]) => {
    const named = allMappings.find(
      ({ platform, entityType, variant }) =>
        platform === resource.platform && entityType === resource.entityType && variant === resource.variant,
    );
    if (named === undefined) throw new RangeError(`no mapping reads ${file}`);
    const records = parseJsonText(
      readFileSync(join(folder, `${file.replace('/', '/portfolio/')}.json`), 'utf8'),
    );
    return (isJsonArray(records) ? records : []).filter(isJsonObject).map((payload, index) => ({
      name: `${file}[${index}]`,
      named,
      payload,
    }));
  },
);
