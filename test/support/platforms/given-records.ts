import {
  isJsonObject,
  parseJsonText,
  type JsonObject,
  type PlatformName,
  type StoredEntityType,
} from '@app/mapper';
import { behaviourOf, forecastAt, occasionAt, type Occasion } from '@app/behaviour';
import {
  Connector,
  type Checkpoint,
  type Connection,
  type LocalWrites,
  type RecordPage,
  type PlatformFacts,
  type Prediction,
  type ReadScope,
  type RecordRef,
  type Settlement,
  type SourceRecord,
  type WriteCommand,
  type WriteOutcome,
} from '../../../src/platforms/connector';
import type { LiveConnectors } from '../../../src/platforms/live/live-connectors';
import { Connectors } from '../../../src/platforms/connectors';
import type { SandboxConnector } from '../../../src/platforms/sandbox/sandbox.connector';
import type { CustomerTransaction } from '../../../src/database/transaction/store';
import { latch } from '../this-process/latch';

/** A record for a platform to bring. */
export function record(entityType: StoredEntityType, payload: object, variant?: string): SourceRecord {
  // Whatever a test writes as a literal is JSON.
  return { entityType, variant: variant ?? null, payload: payload as JsonObject };
}

/** Records that a test gives: a list, or a function that is called for each reading of a scope. */
export type Given = readonly SourceRecord[] | (() => AsyncIterable<SourceRecord>);

const PAGE = 500;

/** A platform that brings what a test gave it, and takes writes as the sandbox does. */
export class GivenConnector extends Connector {
  override readonly local: LocalWrites = {
    lock: async (store, commands) => {
      const found = commands.map(
        async (command) =>
          [command, await storedPayload(store.forCustomer(command.customerId), command)] as const,
      );
      const payloads = new Map(await Promise.all(found));
      return {
        apply: (command) => ({
          status: 'applied',
          payload: written(command, payloads.get(command), occasionAt(new Date())),
        }),
        // The records themselves are all there is.
        save: () => undefined,
      };
    },
  };

  constructor(
    private readonly records: Given,
    private readonly currency = 'USD',
  ) {
    super();
  }

  override describe(): Promise<PlatformFacts> {
    return Promise.resolve({ currency: this.currency });
  }

  override async *read(
    _connection: Connection,
    { entityType }: ReadScope,
    _from: Checkpoint | null,
  ): AsyncIterable<RecordPage> {
    let page: SourceRecord[] = [];
    let read = 0;
    for await (const one of typeof this.records === 'function' ? this.records() : this.records) {
      if (one.entityType !== entityType) continue;
      page.push(one);
      read += 1;
      if (page.length < PAGE) continue;
      yield { records: page, next: read };
      page = [];
    }
    yield { records: page, next: null, complete: true };
  }

  override get(_connection: Connection, _ref: RecordRef): Promise<SourceRecord | undefined> {
    return Promise.resolve(undefined);
  }

  override predict(command: WriteCommand, current: JsonObject | undefined): Prediction {
    return { status: 'applied', payload: written(command, current, forecastAt(new Date())) };
  }

  override submit(): Promise<WriteOutcome> {
    return Promise.resolve({ status: 'uncertain' });
  }

  override settle(): Promise<Settlement> {
    return Promise.resolve({ status: 'not_applied' });
  }
}

function written(command: WriteCommand, current: JsonObject | undefined, occasion: Occasion): JsonObject {
  const { platform, entityType, variant, changes, referred } = command;
  return behaviourOf(platform).write({ entityType, variant, current, changes, referred }, occasion);
}

async function storedPayload(
  tx: CustomerTransaction,
  command: WriteCommand,
): Promise<JsonObject | undefined> {
  const { platform, entityType, platformId } = command;
  const [row] = await tx.query<{ payload: string }>(
    `select payload::text as payload from platform_records
     where customer_id = $1 and platform = $2 and entity_type = $3 and platform_id = $4`,
    [platform, entityType, platformId],
  );
  const payload = row && parseJsonText(row.payload);
  return isJsonObject(payload) ? payload : undefined;
}

/** Connectors that a test gives, by customer and platform; a customer that was given none has the sandbox. */
export class GivenRecords extends Connectors {
  private readonly given = new Map<string, Connector>();

  constructor() {
    // The service's own take their place as soon as the service is made; see startApp.
    super(undefined as unknown as SandboxConnector, new Map());
  }

  /** What a platform brings from now on. */
  give(
    customerId: string,
    platform: PlatformName,
    records: Given,
    { currency }: { readonly currency?: string } = {},
  ): void {
    this.use(customerId, platform, new GivenConnector(records, currency));
  }

  /**
   * Gives records that the platform brings only once they are released.
   *
   * @returns resolves when their reading has begun, and lets them come
   */
  giveHeld(
    customerId: string,
    platform: PlatformName,
    records: Iterable<SourceRecord>,
  ): { readonly reading: Promise<void>; readonly release: () => void } {
    const { opened: reading, open: begin } = latch();
    const { opened: released, open: release } = latch();
    this.give(customerId, platform, async function* (): AsyncGenerator<SourceRecord> {
      begin();
      await released;
      yield* records;
    });
    return { reading, release };
  }

  /** A connector of the test's own. */
  use(customerId: string, platform: PlatformName, connector: Connector): void {
    this.given.set(`${customerId} ${platform}`, connector);
  }

  /** The connectors, over those of one service: several services may have the same ones given. */
  over(sandbox: SandboxConnector, live: LiveConnectors): Connectors {
    return Object.assign(Object.create(this) as Connectors, { sandbox, live });
  }

  override connectorFor(connection: Connection): Connector {
    return (
      this.given.get(`${connection.customerId} ${connection.platform}`) ?? super.connectorFor(connection)
    );
  }
}
