import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isJsonArray, isJsonObject, parseJsonText, type JsonObject, type PlatformName } from '@app/mapper';
import type { Customer } from '../auth/customer';
import { PlatformSources, type PlatformSource, type SourceRecord } from '../platforms/platform-source';
import { sandboxPlatforms } from './sandbox-data';

const dataFolder = join(__dirname, 'data');

/**
 * Gives every customer the sandbox data set of a platform. A sandbox is the customer's own: once a record is stored,
 * the stored copy is the platform's record, and what was written to it stays.
 */
export class SandboxSources extends PlatformSources {
  override sourceFor(_customer: Customer, platform: PlatformName): PlatformSource {
    return {
      currency: sandboxPlatforms[platform].currency,
      storedCopyRules: true,
      records: () => sandboxRecords(platform),
    };
  }
}

async function* sandboxRecords(platform: PlatformName): AsyncGenerator<SourceRecord> {
  for (const { file, entityType, variant } of sandboxPlatforms[platform].files) {
    for (const payload of await readRecords(join(dataFolder, platform, file)))
      yield { entityType, variant, payload };
  }
}

async function readRecords(path: string): Promise<readonly JsonObject[]> {
  const value = parseJsonText(await readFile(path, 'utf8'));
  if (!isJsonArray(value) || !value.every(isJsonObject)) throw new Error(`${path} is no list of records`);
  return value;
}
