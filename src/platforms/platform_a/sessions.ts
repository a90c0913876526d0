import type { Clock } from '../../runtime/clock/clock';
import type { ConnectionName } from '../connector';
import type { LiveAccess } from '../live/live-access';
import { platformAAccess } from './access';
import { Session } from './wire/session';

/** Opens sessions of connections. */
export class Sessions {
  constructor(
    private readonly access: LiveAccess,
    private readonly clock: Clock,
  ) {}

  /**
   * Opens a session of a connection, without a call to the platform.
   *
   * @throws ApiError CONFLICT_ERROR for a connection without credentials
   */
  async open(connection: ConnectionName, signal: AbortSignal): Promise<Session> {
    const { settings, sender } = await this.access.open(connection, platformAAccess);
    return new Session(connection, settings, sender, signal, () => this.clock.now());
  }
}
