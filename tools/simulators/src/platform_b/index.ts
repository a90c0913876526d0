/** The ERP as an HTTP server that validates strictly, with one company. */
export {
  startPlatformB,
  type Effect as PlatformBEffect,
  type PlatformBControl,
  type PlatformBCredentials,
  type PlatformBOptions,
  type RunningPlatformB,
} from './platform-b';
export type { PlatformBSwitches } from './switches';
