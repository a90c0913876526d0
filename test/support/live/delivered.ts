import { setTimeout as sleep } from 'node:timers/promises';
import { randomUUID } from 'node:crypto';
import type { JsonObject, JsonValue, StoredEntityType } from '@app/mapper';
import {
  RetryLater,
  type Attempt,
  type Connection,
  type Connector,
  type Settlement,
  type WriteCommand,
  type WriteOutcome,
} from '../../../src/platforms/connector';
import { addProgress, noProgress } from '../../../src/outbox/command/partial/partial-progress';

/** A write that a test requests. */
export interface Wanted {
  readonly entityType: StoredEntityType;
  readonly variant?: string;
  /** Absent if a record is to be created. */
  readonly id?: string;
  /** Native fields by path. */
  readonly set: Readonly<Record<string, JsonValue>>;
  readonly referred?: WriteCommand['referred'];
}

export function commandFor(connection: Connection, wanted: Wanted): WriteCommand {
  const { entityType, variant = null, id = null, set, referred = {} } = wanted;
  return {
    id: randomUUID(),
    ...connection,
    entityType,
    variant,
    platformId: id,
    ifMatch: null,
    changes: Object.entries(set).map(([path, value]) => ({ path: path.split('.'), value })),
    referred,
  };
}

/** The outcome of a command, and the calls and attempts that it took. */
export interface Delivered {
  readonly outcome:
    | Exclude<WriteOutcome, { status: 'uncertain' | 'deferred' }>
    | Extract<Settlement, { status: 'held' }>;
  readonly attempts: number;
  readonly checks: number;
}

const MOST_ATTEMPTS = 30;

/**
 * Sends a command as the outbox does. A deferred command is sent again. After an unknown outcome it is sent again only
 * if it certainly had no effect.
 */
export async function delivered(
  connector: Connector,
  connection: Connection,
  command: WriteCommand,
  before?: JsonObject,
): Promise<Delivered> {
  const signal = new AbortController().signal;
  let checks = 0;
  let made = noProgress;
  for (let attempts = 1; attempts < MOST_ATTEMPTS; attempts += 1) {
    let notes: JsonValue | undefined;
    try {
      notes = await connector.prepare?.(connection, command, signal);
    } catch (error) {
      if (error instanceof RetryLater) continue;
      throw error;
    }
    const attempt: Attempt = {
      startedAt: new Date(),
      now: new Date(),
      before,
      ...(notes !== undefined && { notes }),
      made,
    };
    const outcome = await connector.submit(connection, command, signal, attempt);
    if (outcome.status === 'deferred') continue;
    if (outcome.status !== 'uncertain') return { outcome, attempts, checks };
    made = addProgress(made, outcome.made);
    let settlement: Settlement = { status: 'uncertain' };
    let endedAt = new Date();
    for (let look = 1; settlement.status === 'uncertain' && look < MOST_ATTEMPTS; look += 1) {
      settlement = await connector.settle(
        connection,
        command,
        { ...attempt, endedAt, now: new Date(), made },
        signal,
      );
      checks += 1;
      if (settlement.status !== 'applied') made = addProgress(made, settlement.made);
      if (settlement.status !== 'uncertain') continue;
      if (settlement.sent) endedAt = new Date();
      await sleep(Math.max(0, (settlement.until?.getTime() ?? 0) - Date.now()));
    }
    if (settlement.status === 'uncertain') throw new Error('Nobody ever knows');
    if (settlement.status !== 'not_applied') return { outcome: settlement, attempts, checks };
  }
  throw new Error('It was never sent');
}
