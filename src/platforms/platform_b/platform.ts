import type { LivePlatform } from '../live/live-platform';
import { platformBCredentials } from './credentials';
import { platformBLimits } from './limits';
import { PlatformBConnector } from './platform-b.connector';
import { PlatformBWebhooks } from './webhooks';

/** The ERP. */
export const platformB: LivePlatform = {
  connector: PlatformBConnector,
  credentials: platformBCredentials,
  limits: platformBLimits,
  webhooks: PlatformBWebhooks,
};
