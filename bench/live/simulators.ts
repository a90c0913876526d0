import { join } from 'node:path';
import { ROOT, startNode, type Child } from '../harness/children';

/** A platform that has a simulator. */
export type SimulatedPlatform = 'platform_a' | 'platform_b';

/** Both simulated platforms, over HTTP in a process of their own. */
export interface Simulators extends Child {
  /** The input of `connections set`, as JSON. */
  readonly credentials: Readonly<Record<SimulatedPlatform, string>>;
}

/** Making a large portfolio takes a while. */
const START_MS = 300_000;

/** Limits that the platforms would have. A reading of 100,000 records would take days within them. */
const UNLIMITED = ['spikeLimit=0', 'hourlyLimit=0', 'requestsPerWindow=100000000', 'tokenSeconds=86400'];

/** Starts the built simulators with a generated portfolio and without limits. */
export async function startSimulators(contracts: number, folder: string): Promise<Simulators> {
  const child = startNode(
    [
      join(ROOT, 'dist/tools/simulators/src/main.js'),
      ...['--json', '--seed', '7', '--contracts', String(contracts)],
      ...UNLIMITED.flatMap((setting) => ['--switch', setting]),
    ],
    { output: join(folder, `simulators-${contracts}.log`) },
  );
  const [text] = await child.matches(/^\{[\s\S]*\}\s*$/m, START_MS);
  const connections = JSON.parse(text) as Readonly<
    Record<SimulatedPlatform, { readonly credentials: object }>
  >; // They print it.
  return {
    ...child,
    credentials: {
      platform_a: JSON.stringify(connections.platform_a.credentials),
      platform_b: JSON.stringify(connections.platform_b.credentials),
    },
  };
}
