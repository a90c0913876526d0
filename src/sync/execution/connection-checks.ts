import { Injectable } from '@nestjs/common';
import { storedEntityTypes } from '@app/mapper';
import type {
  CallBudget,
  Connection,
  ConnectionMode,
  ConnectionName,
  ConnectionTest,
} from '../../platforms/connector';
import { CannotOpenSeal } from '../../platforms/credentials/master-keys';
import { Connectors } from '../../platforms/connectors';
import type { CustomerTransaction } from '../../database/transaction/store';
import { UnitOfWork } from '../../database/transaction/unit-of-work';
import { withinDeadline } from '../../runtime/clock/deadline';
import { ApiError } from '../../common/errors/api-error';
import { toApiError } from '../../common/errors/error-translation';
import { CursorsRepository } from '../reading/cursors.repository';
import { modeOf } from '../run/run-settings.repository';

/** The time limit for an estimate and for a check of a connection, in milliseconds. */
const LIMIT = 60_000;

/** The estimated effort of reading a connection. */
export interface Estimate {
  readonly mode: ConnectionMode;
  /** Undefined if the platform gives no estimate. */
  readonly budget: CallBudget | undefined;
}

/** Asks platforms about a connection, without a run. */
@Injectable()
export class ConnectionChecks {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly cursors: CursorsRepository,
    private readonly connectors: Connectors,
  ) {}

  /**
   * Estimates the calls of the next reading. Nothing is read or stored.
   *
   * @param whole whether all would be read, not only what changed
   * @throws ApiError EXTERNAL_SERVICE_ERROR if the platform fails, or does not answer within a minute
   */
  async estimate(name: ConnectionName, whole: boolean): Promise<Estimate> {
    const { connection, cursors } = await this.unitOfWork.runFor(
      name.customerId,
      async (tx) => ({
        connection: await this.connectionOf(tx, name),
        cursors: await this.cursors.current(tx, name),
      }),
      { readOnly: true },
    );
    const connector = this.connectors.connectorFor(connection);
    const scopes = storedEntityTypes.map((entityType) => {
      const known = cursors.get(entityType);
      const since = !whole && known?.beginsChanges === true ? known.position : undefined;
      return { entityType, ...(since !== undefined && { since }) };
    });
    const budget = await inTime(connection, (signal) => connector.budget?.(connection, scopes, signal));
    return { mode: connection.mode, budget };
  }

  /** Checks whether a connection can be read, and describes a problem in one line. */
  async test(name: ConnectionName): Promise<ConnectionTest> {
    const connection = await this.unitOfWork.runFor(name.customerId, (tx) => this.connectionOf(tx, name), {
      readOnly: true,
    });
    const { platform } = connection;
    if (connection.mode === 'sandbox')
      return { ok: true, message: `${platform} is a sandbox: there are no credentials to try` };
    const connector = this.connectors.connectorFor(connection);
    try {
      const found = await inTime(connection, (signal) => connector.test?.(connection, signal));
      return found ?? { ok: false, message: `${platform} cannot be tried` };
    } catch (error) {
      // Operators alone read it, and have no request whose ID would lead to the log.
      const message = error instanceof CannotOpenSeal ? error.message : toApiError(error).message;
      return { ok: false, message };
    }
  }

  private async connectionOf(tx: CustomerTransaction, { platform }: ConnectionName): Promise<Connection> {
    return {
      customerId: tx.customerId,
      platform,
      mode: await modeOf(tx, { customerId: tx.customerId, platform }),
    };
  }
}

/**
 * Asks a platform, and gives up after {@link LIMIT}.
 *
 * @throws what `ask` throws; ApiError EXTERNAL_SERVICE_ERROR after the limit
 */
async function inTime<Result>(
  { platform }: Connection,
  ask: (signal: AbortSignal) => Promise<Result> | undefined,
): Promise<Result | undefined> {
  return withinDeadline(LIMIT, [], async (signal) => {
    try {
      return await ask(signal);
    } catch (error) {
      if (!signal.aborted) throw error;
      throw new ApiError(
        'EXTERNAL_SERVICE_ERROR',
        `${platform} did not answer within a minute: it is away or slow, or its limits are used up`,
        { cause: error },
      );
    }
  });
}
