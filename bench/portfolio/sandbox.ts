import { pipeline } from 'node:stream/promises';
import { Readable } from 'node:stream';
import { storedEntityTypes, type JsonObject, type PlatformName } from '@app/mapper';
import { from as copyFrom } from 'pg-copy-streams';
import type { Database } from '../harness/databases';
import type { Portfolio } from './counts';
import { madeRecords, type MadeRecord } from './records';

const PLATFORMS: readonly PlatformName[] = ['platform_a', 'platform_b'];

/** Puts records into both sandboxes of a customer, as if they had been created there. */
export async function fillSandboxes(
  database: Database,
  customerId: string,
  portfolio: Portfolio,
): Promise<void> {
  await database.use((client) =>
    pipeline(
      Readable.from(lines(customerId, portfolio)),
      client.query(
        copyFrom(
          'copy sandbox_records (customer_id, platform, entity_type, platform_id, variant, payload) from stdin',
        ),
      ),
    ),
  );
}

function* lines(customerId: string, portfolio: Portfolio): Generator<string> {
  for (const platform of PLATFORMS) {
    for (const entityType of storedEntityTypes) {
      for (const record of madeRecords(platform, entityType, portfolio, 0, portfolio.counts[entityType])) {
        yield `${lineOf(customerId, platform, record).join('\t')}\n`;
      }
    }
  }
}

function lineOf(customerId: string, platform: PlatformName, record: MadeRecord): readonly string[] {
  const { entityType, variant, payload } = record;
  const payloadText = JSON.stringify(payload).replaceAll('\\', '\\\\');
  return [customerId, platform, entityType, idOf(payload), variant ?? '\\N', payloadText];
}

function idOf({ id }: JsonObject): string {
  if (typeof id !== 'string' && typeof id !== 'number') throw new Error('A record was made without an ID');
  return String(id);
}
