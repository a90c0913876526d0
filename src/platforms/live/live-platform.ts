import type { Type } from '@nestjs/common';
import type { Connector } from '../connector';
import type { PlatformWebhooks } from '../webhooks';
import type { CredentialShape } from './credential-shape';
import type { RateLimitRules } from './pacing/rules';

/** A platform that can be reached over HTTP. Its folder describes it in `platform.ts`. */
export interface LivePlatform {
  readonly connector: Type<Connector>;
  readonly credentials: CredentialShape;
  /** The number of calls that the platform takes. */
  readonly limits: RateLimitRules;
  /** Absent for a platform that cannot tell of changes. */
  readonly webhooks?: Type<PlatformWebhooks>;
  /** What connector and webhooks inject beside the services of `live`. */
  readonly providers?: readonly Type<object>[];
}
