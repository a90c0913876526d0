import { figures } from './figures';
import { readArguments, USAGE } from './harness/arguments';
import type { Figure, Measurement } from './harness/figure';
import { machineText, machineWith } from './harness/machine';
import { Progress } from './harness/progress';
import { saveResults } from './harness/results';
import { tableOf } from './harness/table';
import { inWorkplace } from './harness/workplace';

/**
 * Runs the figures that were asked for, and prints what came out.
 *
 * @returns the exit code: 0 also where marks are missed, 1 where something could not be measured, 2 for a wrong call
 */
async function main(args: readonly string[]): Promise<number> {
  const known = figures.flatMap(({ ids }) => ids);
  const asked = readArguments(args, known);
  if (asked.help) return say(USAGE);
  if (asked.list)
    return say(figures.map(({ ids, title }) => `${ids.join(', ').padEnd(10)} ${title}`).join('\n'));
  const wants = (id: string) => asked.ids.length === 0 || asked.ids.includes(id);
  const wanted = figures.filter(({ ids }) => ids.some(wants));

  return inWorkplace({ name: 'translation-bench' }, async ({ databases, folder }) => {
    const machine = machineWith(databases.version, new Date());
    const progress = new Progress();
    progress.say(machineText(machine));
    const measurements: Measurement[] = [];
    const failed: string[] = [];
    for (const figure of wanted) {
      const own = progress.named(figure.ids[0] ?? '');
      own.say(figure.title);
      try {
        measurements.push(
          ...(await figure.run({ databases, progress: own, quick: asked.quick, wants, folder })),
        );
      } catch (error) {
        failed.push(...figure.ids);
        own.say(error instanceof Error ? (error.stack ?? error.message) : String(error));
      }
    }
    const rows = asked.ids.length === 0 ? measurements : measurements.filter(isOf(asked.ids, wanted));
    say(`${machineText(machine)}${asked.quick ? ' – quick, not for publishing' : ''}\n`);
    if (rows.length > 0) say(tableOf(rows, { colour: process.stdout.isTTY }));
    if (failed.length > 0) say(`\nNot measured: ${failed.join(', ')}`);
    await saveResults({ machine, quick: asked.quick, measurements: rows }, asked.save && failed.length === 0);
    return failed.length === 0 ? 0 : 1;
  });
}

// The name of a row begins with its figure. A row of a figure that has the asked one as well is left out.
function isOf(ids: readonly string[], wanted: readonly Figure[]): (row: Measurement) => boolean {
  const others = wanted.flatMap((figure) => figure.ids).filter((id) => !ids.includes(id));
  return ({ name }) => !others.includes(name.split(' ')[0] ?? '');
}

function say(text: string): number {
  process.stdout.write(`${text}\n`);
  return 0;
}

main(process.argv.slice(2)).then(
  (code) => process.exit(code),
  (error: unknown) => {
    const asked = error instanceof RangeError;
    process.stderr.write(
      asked ? `${error.message}\n\n${USAGE}\n` : `${String(error instanceof Error ? error.stack : error)}\n`,
    );
    process.exit(asked ? 2 : 1);
  },
);
