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
   * A session of a connection. It asks the platform nothing yet.
   *
   * @throws ApiError CONFLICT_ERROR for a connection without credentials
   */
  async open(connection: ConnectionName, signal: AbortSignal): Promise<Session> {
    const { settings, sender } = await this.access.open(connection, platformAAccess);
    return new Session(connection, settings, sender, signal, () => this.clock.now());
  }
}
