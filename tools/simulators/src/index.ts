/** The platforms as HTTP servers on this machine, for tests and for trying them out. */
export * from './server';
export { generatedPortfolio, type GeneratedPortfolioOptions } from './portfolio';
export {
  startPlatformA,
  type Kind as PlatformAResource,
  type PlatformAControl,
  type PlatformACredentials,
  type PlatformAOptions,
  type PlatformASwitches,
  type RunningPlatformA,
} from './platform_a';
export * from './platform_b';
export {
  connectionsTo,
  startSimulators,
  type RunningSimulators,
  type SimulatedConnection,
  type SimulatorsOptions,
} from './program/simulators';
