import type { PlatformName } from '@app/mapper';
import type { Connector } from './connector';
import { Connectors } from './connectors';
import type { SandboxConnector } from './sandbox/sandbox.connector';

describe('Connectors', () => {
  // The registry hands them out and asks them nothing.
  const sandbox = { name: 'sandbox' } as unknown as SandboxConnector;
  const live = { name: 'live' } as unknown as Connector;
  const connectors = new Connectors(sandbox, new Map([['platform_a', live]]));
  const of = (platform: PlatformName, mode: 'sandbox' | 'live') =>
    connectors.connectorFor({ customerId: 'c', platform, mode });

  it('goes by the mode of a connection', () => {
    expect(of('platform_a', 'sandbox')).toBe(sandbox);
    expect(of('platform_a', 'live')).toBe(live);
    expect(of('platform_b', 'sandbox')).toBe(sandbox);
  });

  it('gives no sandbox for a live connection', () => {
    expect(() => of('platform_b', 'live')).toThrow('platform_b has a sandbox only');
  });
});
