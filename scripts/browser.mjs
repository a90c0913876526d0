import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { run, runNode } from './child.mjs';
import { root } from './project.mjs';

const usual = [
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
];

/**
 * Installs a Chromium for the tests of the console if the machine has none: the package of Debian where this user may, else
 * Playwright's own. The one that has no windows makes a page in a third of the time.
 * Resolves to a text that says why there is none, or to undefined. The tests say it too, and fail.
 */
export async function ensureBrowser() {
  const { chromium } = await import('playwright-core'); // It may have been installed just now.
  const hasBrowser = () => {
    const named = process.env.CHROMIUM_PATH;
    return [...(named ? [named] : []), ...usual, chromium.executablePath()].some((path) => existsSync(path));
  };
  if (hasBrowser()) return undefined;
  console.log('Installing a Chromium for the tests of the console …');
  const ways = process.getuid?.() === 0 ? [packageOfDebian, ownOfPlaywright] : [ownOfPlaywright];
  const refusals = [];
  for (const { name, install } of ways) {
    const { output } = await install();
    if (hasBrowser()) return undefined;
    refusals.push(`  ${name}: ${reasonIn(output)}`);
  }
  return [
    'No Chromium is there and none could be installed: the tests of the console fail. Set CHROMIUM_PATH to one.',
    ...refusals,
  ].join('\n');
}

const packageOfDebian = {
  name: 'package of Debian',
  install: () => {
    const install = 'apt-get install -y -qq --no-install-recommends';
    const commands = `apt-get update -qq && { ${install} chromium-headless-shell || ${install} chromium; }`;
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
    return run('timeout', ['300', 'sh', '-c', commands], { env });
  },
};

const ownOfPlaywright = {
  name: "Playwright's own",
  install: () =>
    runNode([join(root, 'node_modules/playwright-core/cli.js'), 'install', '--no-shell', 'chromium']),
};

/** The last line in which a program speaks of an error, else the last one. */
function reasonIn(output) {
  const lines = output.trim().split('\n');
  return (
    lines.findLast((line) => /^\s*(E:|Error|Failed)/.test(line)) ?? (lines.at(-1) || 'no word about why')
  );
}
