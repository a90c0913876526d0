import { randomUUID } from 'node:crypto';
import { canonicalId, type PlatformName } from '@app/mapper';
import { databaseTime } from '../../../src/database/transaction/database-time';
import { UnitOfWork } from '../../../src/database/transaction/unit-of-work';
import { reconcile } from '../../../src/matching/reconcile';
import { SANDBOX_SOURCE } from '../../../src/platforms/credentials/company';
import type { RunningApp } from '../app/app';

/**
 * A record independent of a platform's form. It may refer to a record of its platform, of the type that decides
 * between equal keys.
 */
export interface StagedThing {
  readonly platform: PlatformName;
  readonly type: 'project' | 'customer' | 'contract' | 'invoice' | 'payment';
  readonly id: string;
  readonly key: string;
  readonly parent: string | undefined;
}

/** The column of the reference that decides between equal keys. */
const parentRef = {
  project: 'project_ref',
  customer: 'project_ref',
  contract: 'project_ref',
  invoice: 'customer_ref',
  payment: 'invoice_ref',
} as const satisfies Record<StagedThing['type'], string>;

/**
 * Stages the records of one platform, as a run that has read them does, and publishes them. Records of other platforms
 * are ignored.
 */
export async function publishThings(
  { app }: RunningApp,
  customerId: string,
  things: readonly StagedThing[],
  platform: PlatformName,
  isFirst: boolean,
): Promise<void> {
  const runId = randomUUID();
  const feed = things.filter((thing) => thing.platform === platform);
  await app.get(UnitOfWork, { strict: false }).run(async (store) => {
    for (const [seq, { type, id, key, parent }] of feed.entries()) {
      await store.query(
        `insert into staged_records (customer_id, run_id, entity_type, seq, platform_id, native_order, business_key,
           number, ${parentRef[type]}, payload, own_id) values ($1, $2, $3, $4, $5, $5, $6, $6, $7, $8, $9)`,
        [
          customerId,
          runId,
          type,
          seq,
          id,
          key,
          parent === undefined ? null : `id:${parent}`,
          // A record with the same payload counts as unchanged.
          JSON.stringify({ key, parent }),
          canonicalId(customerId, type, { kind: 'key', key }),
        ],
      );
    }
    const cause = { id: runId, at: await databaseTime(store) };
    await reconcile(store.forCustomer(customerId), {
      ...{ runId, platform, isFirst, readingSince: 'now', cause },
      source: SANDBOX_SOURCE,
    });
  });
}
