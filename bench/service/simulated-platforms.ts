// Loaded before the built service, in its process: customers are connected to simulated platforms instead of sandboxes.
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type * as Registry from '../../src/platforms/connectors';
import type { Portfolio } from '../portfolio/counts';
import { SimulatedConnector } from './simulated-connector';

// The bench writes the settings, see simulated-service.ts.
const portfolio = JSON.parse(process.env['BENCH_PORTFOLIO'] ?? '{}') as Portfolio;
const withheld = process.env['BENCH_WITHHELD'];
const silent = process.env['BENCH_SILENT'];
const simulated = new SimulatedConnector(
  portfolio,
  ({ platform, customerId }) => {
    process.stdout.write(`Read: ${platform} at ${Date.now()}\n`);
    const isSilent = silent !== undefined && customerId.startsWith(silent);
    return isSilent || platform === withheld ? 'withhold' : 'give';
  },
  Number(process.env['BENCH_LATENCY'] ?? 0),
);

// The build has the types of its sources.
const { Connectors } = createRequire(__filename)(
  join(__dirname, '../../dist/src/platforms/connectors.js'),
) as typeof Registry;
Connectors.prototype.connectorFor = () => simulated;
