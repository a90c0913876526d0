// The script behind `npm start`, `npm test` and `npm run` with cli, simulators, bench and campaign. It needs only Node, npm and a fresh
// clone. It installs and builds what is missing or outdated, and then runs the command.
import { existsSync } from 'node:fs';
import nodeModule, { createRequire } from 'node:module';
import { join } from 'node:path';
import { bench } from './bench.mjs';
import { build } from './build.mjs';
import { campaign } from './campaign.mjs';
import { check } from './check.mjs';
import { install } from './install.mjs';
import { root } from './project.mjs';

const [command, ...args] = process.argv.slice(2);

const commands = {
  serve: () => runBuilt('dist/src/main.js'),
  cli: () => runBuilt('dist/src/cli/main.js'),
  simulators: () => runBuilt('dist/tools/simulators/src/main.js'),
  test: async () => {
    await install();
    process.exitCode = (await check()) ? 0 : 1;
  },
  bench: async () => {
    await install();
    await build();
    process.exitCode = (await bench(args)) ? 0 : 1;
  },
  campaign: async () => {
    await install();
    process.exitCode = (await campaign(args)) ? 0 : 1;
  },
};

/** Runs the program in this process, so that signals reach it and its exit code is ours. */
async function runBuilt(program) {
  const settings = join(root, '.env');
  if (existsSync(settings)) process.loadEnvFile(settings);
  await install();
  await build();
  stopWithNpm();
  prepareLoading();
  const path = join(root, program);
  process.argv.splice(1, process.argv.length - 1, path, ...args);
  createRequire(path)(path);
}

/**
 * Loading 1,600 modules is most of a start. Later releases of Node keep what they compiled, and read the source maps of our
 * own code alone; Node 20 has neither.
 */
function prepareLoading() {
  nodeModule.enableCompileCache?.(join(root, 'node_modules/.cache/compiled'));
  if (nodeModule.setSourceMapsSupport) nodeModule.setSourceMapsSupport(true, { nodeModules: false });
  else process.setSourceMapsEnabled(true);
}

/** Under npm, ends the program when npm is gone: the shell between them does not always pass npm's signals on. */
function stopWithNpm() {
  if (process.env.npm_lifecycle_event === undefined) return;
  const parent = process.ppid;
  const watch = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(watch);
    process.kill(process.pid, 'SIGTERM');
  }, 250).unref();
}

process.chdir(root);
const run = Object.hasOwn(commands, command ?? '') ? commands[command] : undefined;
if (run === undefined) {
  console.error(`Usage: node scripts/run.mjs ${Object.keys(commands).join('|')}`);
  process.exitCode = 2;
} else {
  try {
    await run();
  } catch (error) {
    // A failed step explains itself; anything else is a fault of these scripts.
    console.error(error?.name === 'StepError' ? error.message : error);
    process.exitCode = 1;
  }
}
