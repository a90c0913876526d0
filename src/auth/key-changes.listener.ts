import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { ENVIRONMENT, type Environment } from '../runtime/config/environment';
import { APPLICATION_NAME } from '../database/connection/data-source';
import { DatabaseClient } from '../database/connection/database-client';
import { LOGGER, type Logger } from '../runtime/logging/logger';
import { Recurring } from '../runtime/background/recurring';
import { CallerCache } from './callers/caller-cache';
import { KEY_CHANGES } from './keys/key-changes.repository';

/**
 * Receives notifications of ended keys from other instances on its own connection, so that the keys are refused at
 * once. The notification is a hint. Without it, behind a pooler or while the connection is broken, cached keys still
 * expire within a second.
 */
const RECONNECT_PAUSE_MS = 1_000;

@Injectable()
export class KeyChangesListener implements OnApplicationBootstrap, OnApplicationShutdown {
  private listening: Recurring | undefined;
  private isBroken = false;

  constructor(
    @Inject(ENVIRONMENT) private readonly environment: Environment,
    @Inject(LOGGER) private readonly logger: Logger,
    private readonly callers: CallerCache,
  ) {}

  onApplicationBootstrap(): void {
    const { databaseUrl, databasePooler } = this.environment;
    // A pooler assigns a connection for one transaction, so a notification between transactions reaches another client.
    if (databaseUrl === undefined || databasePooler === 'transaction') return;
    this.listening = new Recurring(
      RECONNECT_PAUSE_MS,
      (stop) => this.listen(databaseUrl, stop),
      (error) => this.broke(error),
    );
  }

  /** Runs after the pending requests have been answered. */
  async onApplicationShutdown(): Promise<void> {
    await this.listening?.stop();
  }

  /** Listens until the connection ends. */
  private async listen(databaseUrl: string, stop: AbortSignal): Promise<void> {
    const client = new DatabaseClient({
      connectionString: databaseUrl,
      application_name: `${APPLICATION_NAME} key changes`,
    });
    const ended = new Promise((resolve) => client.once('end', resolve));
    client.on('notification', ({ payload }) => this.callers.forget(payload ?? ''));
    let listening = false;
    const close = (): void => {
      if (listening) void client.end();
      // The driver would never settle a pending login.
      else client.abandon(new Error('The service stops'));
    };
    stop.addEventListener('abort', close, { once: true });
    try {
      await client.connect();
      await client.listen(KEY_CHANGES);
      listening = true;
      if (this.isBroken) this.logger.info('Changes of keys are heard of at once again');
      this.isBroken = false;
      await ended;
      if (!stop.aborted) throw client.failure ?? new Error('The connection ended');
    } catch (error) {
      if (!stop.aborted) throw error;
    } finally {
      stop.removeEventListener('abort', close);
      client.abandon(new Error('The listener has ended'));
    }
  }

  /** Logs one line when the connection is lost, regardless of the number of attempts that follow. */
  private broke(error: unknown): void {
    if (!this.isBroken) this.logger.warn({ err: error }, 'Changes of keys are noticed within a second only');
    this.isBroken = true;
  }
}
