import type { PlatformName } from '@app/mapper';
import type { Connector } from '../connector';

/** The connectors of the platforms themselves. A platform that is not among them has a sandbox only. */
export type LiveConnectors = ReadonlyMap<PlatformName, Connector>;

/** Token of the live connectors. */
export const LIVE_CONNECTORS: unique symbol = Symbol('LIVE_CONNECTORS');
