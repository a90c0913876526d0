import { Client, type ClientConfig } from 'pg';
import { sqlStateOf } from './database-errors';
import { CLIENT_CHECK_INTERVAL_MS, CONNECT_LIMIT_MS, CLOSE_LIMIT_MS, KEEP_ALIVE_DELAY_MS } from './limits';

/** A connection whose login, close and abandonment have time limits. */
export class DatabaseClient extends Client {
  private firstFailure: Error | undefined;

  constructor(config: ClientConfig = {}) {
    // The pool's own limit covers the wait for a free connection, which may be longer than a login. The pool hides the
    // password from enumeration, so it is named.
    super({
      ...config,
      password: config.password,
      connectionTimeoutMillis: CONNECT_LIMIT_MS,
      keepAlive: true,
      keepAliveInitialDelayMillis: KEEP_ALIVE_DELAY_MS,
    });
    this.on('error', (error) => (this.firstFailure ??= error));
  }

  /** Why the connection is dead; undefined while it lives. */
  get failure(): Error | undefined {
    return this.firstFailure;
  }

  /** Whether statements can still be sent; false at once after abandon(), before anything has failed. */
  get usable(): boolean {
    return this.firstFailure === undefined && !this.connection.stream.destroyed;
  }

  /**
   * Subscribes to a channel. Notifications arrive as `notification` events.
   *
   * @param channel goes into the statement unescaped, so it must be a constant of this service
   */
  async listen(channel: string): Promise<void> {
    await this.query(`listen ${channel}`);
  }

  /** Destroys the socket. Statements under way fail with the reason, and so does every later one. */
  abandon(reason: Error): void {
    this.connection.stream.destroy(reason);
  }

  override end(): Promise<void>;
  override end(callback: (error: Error) => void): void;
  override end(callback?: (error: Error) => void): Promise<void> | void {
    const limit = setTimeout(() => this.connection.stream.destroy(), CLOSE_LIMIT_MS).unref();
    this.connection.once('end', () => clearTimeout(limit));
    return callback === undefined ? super.end() : super.end(callback);
  }
}

/**
 * Sets `client_connection_check_interval`, which cannot be set at login. With it the server notices that a client has
 * disconnected, ends its work and releases its locks. A server on a system without this check refuses the setting and
 * works without it.
 */
export async function prepareSession(client: DatabaseClient): Promise<void> {
  const late = setTimeout(
    () => client.abandon(new Error('The new session did not answer')),
    CONNECT_LIMIT_MS,
  );
  try {
    await client.query(`set client_connection_check_interval = ${CLIENT_CHECK_INTERVAL_MS}`);
  } catch (error) {
    if (sqlStateOf(error) !== INVALID_PARAMETER_VALUE) throw error;
  } finally {
    clearTimeout(late);
  }
}

const INVALID_PARAMETER_VALUE = '22023';
