import type { LivePlatform } from '../live/live-platform';
import { platformACredentials } from './credentials';
import { platformALimits } from './limits';
import { PlatformAConnector } from './platform-a.connector';
import { PlatformAWebhooks } from './webhooks';
import { WritingTimes } from './writing/calls/times';

/** The project platform. */
export const platformA: LivePlatform = {
  connector: PlatformAConnector,
  credentials: platformACredentials,
  limits: platformALimits,
  webhooks: PlatformAWebhooks,
  providers: [WritingTimes],
};
