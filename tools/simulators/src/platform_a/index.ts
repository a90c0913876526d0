/** The project platform as an HTTP server that validates strictly. */
export { startPlatformA } from './start';
export type { PlatformAControl, PlatformACredentials, PlatformAOptions, RunningPlatformA } from './start';
export { platformASwitches, type PlatformASwitches } from './switches';
export type { Kind } from './world';
