import type { JsonObject, PlatformName, StoredEntityType } from '@app/mapper';
import type { Customer } from '../../src/auth/customer';
import { PlatformSources, type PlatformSource, type SourceRecord } from '../../src/platforms/platform-source';
import { SandboxSources } from '../../src/sandbox/sandbox-sources';

/** A record for a source to bring. */
export function record(entityType: StoredEntityType, payload: object, variant?: string): SourceRecord {
  // Whatever a test writes as a literal is JSON.
  return { entityType, variant: variant ?? null, payload: payload as JsonObject };
}

/** Sources that bring what a test gives them; a customer that was given nothing has the sandbox. */
export class GivenRecords extends PlatformSources {
  private readonly given = new Map<string, PlatformSource>();
  private readonly sandbox = new SandboxSources();

  /** What a platform brings from now on. */
  give(
    customerId: string,
    platform: PlatformName,
    records: readonly SourceRecord[] | (() => AsyncIterable<SourceRecord>),
    options: Partial<Omit<PlatformSource, 'records'>> = {},
  ): void {
    this.given.set(`${customerId} ${platform}`, {
      currency: 'USD',
      storedCopyRules: false,
      ...options,
      records: typeof records === 'function' ? records : () => inOrder(records),
    });
  }

  override sourceFor(customer: Customer, platform: PlatformName): PlatformSource {
    return this.given.get(`${customer.id} ${platform}`) ?? this.sandbox.sourceFor(customer, platform);
  }
}

async function* inOrder(records: readonly SourceRecord[]): AsyncGenerator<SourceRecord> {
  for (const one of records) yield await Promise.resolve(one);
}
