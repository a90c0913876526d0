/** The project platform as a strict HTTP server. */
export { startPlatformA } from './start';
export type { PlatformAControl, PlatformACredentials, PlatformAOptions, RunningPlatformA } from './start';
export { platformASwitches, type PlatformASwitches } from './switches';
export type { Kind } from './world';
