import { join } from 'node:path';
import { startNode } from '../harness/children';
import type { Bench, Figure, Measurement } from '../harness/figure';
import { measureWithin } from '../harness/limited';
import { TOLERANCE } from '../harness/paired';
import { difference } from '../harness/statistics';

/** Seconds that the console may add to the first start. */
const LIMIT = 2;

/** P15: seconds that the console adds to the build of a first `npm start`, which bundles it beside the compiler. */
export const consoleBuild: Figure = {
  ids: ['P15'],
  title: 'the console: what it adds to the build of a first start',
  run: measure,
};

async function measure(bench: Bench): Promise<readonly Measurement[]> {
  const notes: string[] = [];
  let unsteady = false;
  const added = async (): Promise<number> => {
    const before = await build(bench, false);
    const both = await build(bench, true);
    const after = await build(bench, false);
    const alone = (before + after) / 2;
    // More work is never less time: then other work has moved the figure, as where the builds around it differ.
    unsteady ||= difference(before, after) > TOLERANCE || both < alone;
    notes.push(`${both.toFixed(1)} s with it, ${alone.toFixed(1)} s without`);
    return both - alone;
  };
  const paired = await measureWithin(bench, bench.progress, LIMIT, added, { warmUps: 0, repetitions: 3 });
  return [
    {
      ...{ name: 'P15', ours: 'seconds that the console adds to a build', floor: 'its limit', unit: 's' },
      ...{ comparison: 'multiple', mark: { atMost: 1 }, notes, ...paired, unsteady },
    },
  ];
}

async function build({ folder }: Bench, withConsole: boolean): Promise<number> {
  const begun = performance.now();
  const script = `import { tryBuild } from './scripts/build.mjs'; await tryBuild({ withConsole: ${withConsole} });`;
  const child = startNode(['--input-type=module', '--eval', script], { output: join(folder, 'p15.log') });
  await child.ended();
  return (performance.now() - begun) / 1000;
}
